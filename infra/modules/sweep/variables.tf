variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "name" {
  type = string
}

variable "endpoint" {
  type = string
}

variable "audience" {
  description = "The function's bare address; with a path in it tokens are refused."
  type        = string
}

variable "account" {
  type = string
}

variable "schedule" {
  type = string
}

variable "attempt_deadline_seconds" {
  type = number
}
