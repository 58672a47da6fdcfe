variable "project" {
  type = string
}

variable "name" {
  type = string
}

variable "topic" {
  type = string
}

variable "endpoint" {
  type = string
}

variable "audience" {
  description = "The function's bare address; with a path in it tokens are refused."
  type        = string
}

variable "push_account" {
  type = string
}

variable "pubsub_agent" {
  description = "Pub/Sub's own account in this project, as an IAM member."
  type        = string
}

variable "ack_deadline_seconds" {
  description = "How long a push waits for its answer; above the function's timeout."
  type        = number

  validation {
    condition     = var.ack_deadline_seconds >= 10 && var.ack_deadline_seconds <= 600
    error_message = "An acknowledgement deadline is 10 to 600 seconds."
  }
}

variable "retention_seconds" {
  type = number
}

variable "min_backoff_seconds" {
  type = number
}

variable "max_backoff_seconds" {
  type = number
}

variable "max_delivery_attempts" {
  description = "After so many attempts a message goes to the dead-letter topic; null = it is tried until it is too old."
  type        = number
  default     = null
}

variable "dead_letter_topic" {
  description = "The full name of the topic for what cannot be delivered."
  type        = string
  default     = null
}

variable "keeps_messages" {
  description = "Whether the messages that wait in it exist nowhere else."
  type        = bool
}

variable "labels" {
  type = map(string)
}
