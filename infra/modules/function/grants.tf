locals {
  member = "serviceAccount:${google_service_account.runtime.email}"
}

# The function may read and write the pipeline's documents, because every commit and every sweep does. Firestore has no
# policy below the project; the condition keeps it to the pipeline's own database.
resource "google_project_iam_member" "function_uses_database" {
  project = var.project
  role    = "roles/datastore.user"
  member  = local.member

  condition {
    title      = "only-${var.database}"
    expression = "resource.name == \"projects/${var.project}/databases/${var.database}\" || resource.name.startsWith(\"projects/${var.project}/databases/${var.database}/\")"
  }
}

# The function may read metrics, because a sweep reads the age of the oldest unacknowledged message, and an instance that
# is busy sweeps. Metrics have no policy below the project.
resource "google_project_iam_member" "function_reads_backlog" {
  project = var.project
  role    = "roles/monitoring.viewer"
  member  = local.member
}

# The function may publish to the topics of the stages and sinks and to the announcements of dead letters, because results
# go there, and an instance that is busy sweeps: it sends ticks, and sends again what was lost.
resource "google_pubsub_topic_iam_member" "function_publishes" {
  for_each = var.publishes_to

  project = var.project
  topic   = each.value
  role    = "roles/pubsub.publisher"
  member  = local.member
}

# A sink may read, merge into and add columns to its own table, because that is what it is for.
resource "google_bigquery_table_iam_member" "sink_writes_table" {
  for_each = var.tables

  project    = var.project
  dataset_id = each.value.dataset
  table_id   = each.value.table
  role       = "roles/bigquery.dataEditor"
  member     = local.member
}

# A sink may start jobs, because a MERGE is one, and jobs belong to the project.
resource "google_project_iam_member" "sink_starts_jobs" {
  count = length(var.tables) > 0 ? 1 : 0

  project = var.project
  role    = "roles/bigquery.jobUser"
  member  = local.member
}

# A stage that enriches may ask models on Vertex AI, because that is what it does. A model has no policy that a stage's
# author could name here.
resource "google_project_iam_member" "enrichment_asks_models" {
  count = var.calls_models ? 1 : 0

  project = var.project
  role    = "roles/aiplatform.user"
  member  = local.member
}

# Pub/Sub's or Cloud Scheduler's account may call the function, because its work comes from there. Nobody else may.
resource "google_cloud_run_v2_service_iam_member" "caller_invokes" {
  for_each = var.callers

  project  = var.project
  location = var.region
  name     = google_cloudfunctions2_function.this.name
  role     = "roles/run.invoker"
  member   = "serviceAccount:${each.value}"

  lifecycle {
    # A service that is made anew has lost its policy.
    replace_triggered_by = [google_cloudfunctions2_function.this.id]
  }
}
