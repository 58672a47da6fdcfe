variable "project" {
  type = string
}

variable "announced_topic" {
  type = string
}

variable "undelivered_topic" {
  type = string
}

variable "announced_subscription" {
  type = object({
    name                 = string
    ack_deadline_seconds = number
    retention_seconds    = number
  })
}

variable "pubsub_agent" {
  description = "Pub/Sub's own account in this project, as an IAM member."
  type        = string
}

variable "labels" {
  type = map(string)
}
