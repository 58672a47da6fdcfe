variable "project" {
  type = string
}

variable "location" {
  type = string
}

variable "database" {
  type = string
}

variable "indexes" {
  type = map(object({
    collection = string
    fields     = list(string)
  }))
}

variable "exemptions" {
  description = "The field that is not indexed, by collection; `*` = all."
  type        = map(string)
}

variable "point_in_time_recovery" {
  description = "Whether the last seven days can be read and restored. Costs storage."
  type        = bool
  default     = false
}

variable "allow_data_loss" {
  type = bool
}
