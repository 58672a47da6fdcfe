output "repository" {
  description = "The repository's full name. It comes with the right to write to it."
  value       = google_artifact_registry_repository.this.id

  depends_on = [google_artifact_registry_repository_iam_member.build_puts_images]
}

output "build_account" {
  description = "The account's full name. It comes with all that a build needs."
  value       = google_service_account.build.name

  depends_on = [google_project_iam_member.build_reads_sources, google_project_iam_member.build_writes_log]
}
