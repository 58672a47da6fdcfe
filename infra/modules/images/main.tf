# Where the functions' images are built and kept.

resource "google_artifact_registry_repository" "this" {
  project       = var.project
  location      = var.region
  repository_id = var.repository
  description   = "Millrace ${var.pipeline}: images built from its functions"
  format        = "DOCKER"
  labels        = var.labels

  cleanup_policies {
    id     = "keep-the-newest"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  cleanup_policies {
    id     = "delete-the-old"
    action = "DELETE"

    condition {
      older_than = "2592000s"
    }
  }
}

resource "google_service_account" "build" {
  project      = var.project
  account_id   = var.build_account
  display_name = "Millrace ${var.pipeline}: builds its functions"
}

# The build may put images into the pipeline's repository, because that is its result.
resource "google_artifact_registry_repository_iam_member" "build_puts_images" {
  project    = var.project
  location   = var.region
  repository = google_artifact_registry_repository.this.name
  role       = "roles/artifactregistry.writer"
  member     = "serviceAccount:${google_service_account.build.email}"
}

# The build may read the sources that Cloud Functions has copied into its own bucket, because it builds them. That bucket
# is made with the first function, so the grant is on the project with a condition on the bucket's name.
resource "google_project_iam_member" "build_reads_sources" {
  project = var.project
  role    = "roles/storage.objectViewer"
  member  = "serviceAccount:${google_service_account.build.email}"

  condition {
    title      = "only-function-sources"
    expression = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-\")"
  }
}

# The build may write its log, because nobody could see otherwise why it failed. Logs have no policy below the project.
resource "google_project_iam_member" "build_writes_log" {
  project = var.project
  role    = "roles/logging.logWriter"
  member  = "serviceAccount:${google_service_account.build.email}"
}
