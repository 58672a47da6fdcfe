output "job" {
  value = google_cloud_scheduler_job.sweep.name
}
