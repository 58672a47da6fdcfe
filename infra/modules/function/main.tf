# One function: an HTTP function of generation 2, since Pub/Sub pushes to it by a subscription of our own (a trigger's
# subscription takes no retry or dead-letter policy). It runs as an account of its own; grants.tf says what that may do.

resource "google_service_account" "runtime" {
  project      = var.project
  account_id   = var.account
  display_name = substr(var.description, 0, 100) # as long as it may be
}

# Named by its hash: another zip is another object, and so a new revision; the same zip is no change.
resource "google_storage_bucket_object" "archive" {
  bucket = var.archive_bucket
  name   = "${var.name}-${var.archive.sha256}.zip"
  source = var.archive.path
}

resource "google_cloudfunctions2_function" "this" {
  project     = var.project
  location    = var.region
  name        = var.name
  description = var.description
  labels      = var.labels

  build_config {
    runtime           = var.runtime
    entry_point       = var.entry_point
    docker_repository = var.images
    service_account   = var.build_account

    source {
      storage_source {
        bucket = google_storage_bucket_object.archive.bucket
        object = google_storage_bucket_object.archive.name
      }
    }
  }

  service_config {
    available_memory                 = "${var.memory_mib}Mi"
    available_cpu                    = tostring(var.cpu)
    max_instance_request_concurrency = var.concurrency
    min_instance_count               = var.min_instances
    max_instance_count               = var.max_instances
    timeout_seconds                  = var.timeout_seconds
    environment_variables            = var.environment
    service_account_email            = google_service_account.runtime.email
    ingress_settings                 = "ALLOW_INTERNAL_ONLY" # Pub/Sub and Cloud Scheduler of this project count as internal
    all_traffic_on_latest_revision   = true
  }

  lifecycle {
    precondition {
      condition     = var.concurrency == 1 || var.cpu >= 1
      error_message = "${var.name}: more than one request at a time needs a whole vCPU."
    }
  }

  # A first revision that may not read its database would fail its first messages.
  depends_on = [
    google_project_iam_member.function_uses_database,
    google_pubsub_topic_iam_member.function_publishes,
  ]
}
