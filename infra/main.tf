# One pipeline in one project. Everything that depends on the pipeline comes from var.manifest; each file is one concern.

data "google_project" "this" {
  project_id = var.project
}

locals {
  manifest = var.manifest
  labels   = { millrace-pipeline = local.manifest.pipeline }

  # A service's address follows from its name, so it is known before the service is there, and the service can be told.
  addresses = {
    for id, function in local.manifest.functions :
    id => "https://${function.name}-${data.google_project.this.number}.${var.region}.run.app"
  }

  callers = {
    push      = google_service_account.push.email
    scheduler = google_service_account.scheduler.email
  }

  # Google's own account, as which Pub/Sub acts in this project.
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}
