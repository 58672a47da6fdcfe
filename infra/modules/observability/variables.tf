variable "project" {
  type = string
}

variable "pipeline" {
  type = string
}

variable "metrics" {
  type = map(object({
    event       = string
    field       = optional(string)
    unit        = string
    description = string
  }))
}

variable "functions" {
  description = "The functions' names."
  type        = list(string)
}

variable "subscriptions" {
  description = "The push subscriptions of sources and stages."
  type        = list(string)
}

variable "dead_letter_subscription" {
  type = string
}

variable "database" {
  type = string
}

variable "notification_channels" {
  type = list(string)
}

variable "max_watermark_lag_seconds" {
  type = number
}

variable "max_unacknowledged_seconds" {
  type = number
}

variable "labels" {
  type = map(string)
}
