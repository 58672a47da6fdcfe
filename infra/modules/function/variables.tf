variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "name" {
  type = string

  validation {
    condition     = length(var.name) <= 49
    error_message = "A function's name has at most 49 characters, so that its address fits a host name."
  }
}

variable "account" {
  description = "The id of the account that is made for it."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.account))
    error_message = "A service account's id has 6 to 30 characters: lower-case letters, digits and dashes."
  }
}

variable "description" {
  type = string
}

variable "runtime" {
  type = string
}

variable "entry_point" {
  type = string
}

variable "archive_bucket" {
  type = string
}

variable "archive" {
  description = "The zip, and its SHA-256."
  type = object({
    path   = string
    sha256 = string
  })
}

variable "images" {
  description = "The full name of the repository for the image that is built."
  type        = string
}

variable "build_account" {
  description = "The full name of the account that builds it."
  type        = string
}

variable "memory_mib" {
  type = number
}

variable "cpu" {
  type = number
}

variable "concurrency" {
  description = "Requests that one instance works on at once."
  type        = number
}

variable "min_instances" {
  type = number
}

variable "max_instances" {
  description = "One where shards run; more for ingest."
  type        = number
}

variable "timeout_seconds" {
  type = number
}

variable "environment" {
  type = map(string)
}

variable "database" {
  type = string
}

variable "publishes_to" {
  description = "Topics by a key that is known while planning."
  type        = map(string)
}

variable "tables" {
  type = map(object({
    dataset = string
    table   = string
  }))
}

variable "calls_models" {
  type    = bool
  default = false
}

variable "callers" {
  description = "The accounts that may call it, by a key that is known while planning."
  type        = map(string)
}

variable "labels" {
  type = map(string)
}
