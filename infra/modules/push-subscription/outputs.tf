output "name" {
  value = google_pubsub_subscription.this.name
}
