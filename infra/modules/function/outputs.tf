output "name" {
  value = google_cloudfunctions2_function.this.name
}

output "account" {
  value = google_service_account.runtime.email
}
