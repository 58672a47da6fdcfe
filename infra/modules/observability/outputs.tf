output "dashboard" {
  value = google_monitoring_dashboard.this.id
}
