variable "project" {
  type = string
}

variable "pipeline" {
  type = string
}

variable "metrics" {
  description = "Metrics by their full name."
  type = map(object({
    filter      = string
    field       = optional(string)
    by_stage    = bool
    unit        = string
    description = string
  }))
}

variable "alerts" {
  type = map(object({
    title       = string
    query       = string
    for_seconds = number
    advice      = string
  }))
}

variable "dashboard" {
  description = "JSON, in the form of Cloud Monitoring's API."
  type        = string
}

variable "notification_channels" {
  type = list(string)
}

variable "labels" {
  type = map(string)
}
