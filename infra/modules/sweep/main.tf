# Cloud Scheduler starts a sweep each minute. A sweep is a hint, not a clock: one that is skipped, doubled or overlaps
# changes lateness only. Who may call is granted with the function.

resource "google_cloud_scheduler_job" "sweep" {
  project          = var.project
  region           = var.region
  name             = var.name
  description      = "Starts a sweep"
  schedule         = var.schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = "${var.attempt_deadline_seconds}s"

  # The next one comes within a minute anyway.
  retry_config {
    retry_count = 0
  }

  http_target {
    uri         = var.endpoint
    http_method = "POST"

    oidc_token {
      service_account_email = var.account
      audience              = var.audience
    }
  }
}
