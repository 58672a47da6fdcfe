output "database" {
  value = google_firestore_database.this.name
}
