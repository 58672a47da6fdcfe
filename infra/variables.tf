variable "project" {
  description = "The project's id."
  type        = string
}

variable "region" {
  description = "Where functions, database, dataset and scheduler are."
  type        = string
  default     = "us-central1"
}

variable "manifest" {
  description = "What the pipeline needs, as `millrace plan <pipeline> --tfvars` writes it. Never written by hand."
  type = object({
    pipeline         = string
    shape            = string
    topology         = number
    fingerprint      = string
    services         = list(string)
    runtime          = string
    entry_point      = string
    bucket_suffix    = string
    image_repository = string
    accounts = object({
      push      = string
      scheduler = string
      build     = string
    })
    functions = map(object({
      name            = string
      account         = string
      memory_mib      = number
      cpu             = number
      concurrency     = number
      min_instances   = number
      max_instances   = number
      timeout_seconds = number
      environment     = map(string)
      callers         = list(string)
      publishes_to    = list(string)
      writes_tables   = list(string)
      calls_models    = bool
    }))
    topics = map(string)
    subscriptions = map(object({
      kind                  = string
      topic                 = string
      push_function         = optional(string)
      push_path             = optional(string)
      ack_deadline_seconds  = number
      retention_seconds     = number
      min_backoff_seconds   = number
      max_backoff_seconds   = number
      dead_letter_topic     = optional(string)
      max_delivery_attempts = optional(number)
    }))
    sweep = object({
      function                 = string
      path                     = string
      schedule                 = string
      attempt_deadline_seconds = number
    })
    dataset = string
    tables = map(object({
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
    database = string
    indexes = map(object({
      collection = string
      fields     = list(string)
    }))
    exemptions = map(string)
    metrics = map(object({
      filter      = string
      field       = optional(string)
      by_stage    = bool
      unit        = string
      description = string
    }))
    alerts = map(object({
      title       = string
      query       = string
      for_seconds = number
      advice      = string
    }))
    dashboard = string
  })

  validation {
    condition = alltrue([
      for subscription in values(var.manifest.subscriptions) :
      subscription.push_function == null ? true : var.manifest.functions[subscription.push_function].timeout_seconds < subscription.ack_deadline_seconds
    ])
    error_message = "A function's timeout must be below the acknowledgement deadline of what pushes to it, or a message would run twice at once."
  }
}

variable "archives" {
  description = "The zip of each function, as `npm run package` writes them: its path, and its SHA-256, which names the object."
  type = map(object({
    path   = string
    sha256 = string
  }))
}

variable "existing_topics" {
  description = "Source and sink topics that exist already and belong to somebody else; all others are made."
  type        = set(string)
  default     = []
}

variable "notification_channels" {
  description = "The full names of Cloud Monitoring's channels that alerts go to."
  type        = list(string)
  default     = []
}

variable "operators" {
  description = "Who may run the operators' commands, such as `group:data-platform@example.com`."
  type        = set(string)
  default     = []
}

variable "publishers" {
  description = "Who may publish events to the source topics that are made here, such as `serviceAccount:shop@…`."
  type        = set(string)
  default     = []
}

variable "allow_data_loss" {
  description = "Lets `millrace destroy --with-data` delete database and tables. Leave it false."
  type        = bool
  default     = false
}
