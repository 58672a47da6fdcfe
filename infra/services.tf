# The services of Google Cloud that a pipeline uses. They stay on when the pipeline goes: others may use them.

locals {
  services = [
    "artifactregistry.googleapis.com",
    "bigquery.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudfunctions.googleapis.com",
    "cloudscheduler.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
  ]
}

resource "google_project_service" "used" {
  for_each = toset(local.services)

  project            = var.project
  service            = each.key
  disable_on_destroy = false
}
