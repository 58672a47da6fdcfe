variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "pipeline" {
  type = string
}

variable "repository" {
  type = string
}

variable "build_account" {
  type = string
}

variable "labels" {
  type = map(string)
}
