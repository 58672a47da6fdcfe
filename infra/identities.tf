# The accounts that stand for callers. Each function has one of its own besides; see modules/function.

resource "google_service_account" "push" {
  project      = var.project
  account_id   = local.manifest.accounts.push
  display_name = "Millrace ${local.manifest.pipeline}: Pub/Sub"
}

resource "google_service_account" "scheduler" {
  project      = var.project
  account_id   = local.manifest.accounts.scheduler
  display_name = "Millrace ${local.manifest.pipeline}: Cloud Scheduler"
}

# Pub/Sub may sign tokens of the push account, because its pushes carry them. (Only projects from before April 2021 need
# it said.)
resource "google_service_account_iam_member" "pubsub_signs_pushes" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent

  depends_on = [google_project_service.used]
}
