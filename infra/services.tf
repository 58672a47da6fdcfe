# The services of Google Cloud that the pipeline uses. They stay on when the pipeline goes: others may use them.

resource "google_project_service" "used" {
  for_each = toset(local.manifest.services)

  project            = var.project
  service            = each.key
  disable_on_destroy = false
}
