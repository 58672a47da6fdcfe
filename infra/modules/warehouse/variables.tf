variable "project" {
  type = string
}

variable "location" {
  type = string
}

variable "dataset" {
  type = string
}

variable "tables" {
  type = map(object({
    dataset      = optional(string)
    name         = string
    partition_by = optional(string)
    cluster_by   = list(string)
    schema = list(object({
      name = string
      type = string
      mode = string
    }))
  }))
}

variable "labels" {
  type = map(string)
}

variable "allow_data_loss" {
  type = bool
}
