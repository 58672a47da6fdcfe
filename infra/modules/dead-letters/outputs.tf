output "undelivered_topic" {
  description = "The topic's full name, as dead-letter policies want it."
  value       = google_pubsub_topic.undelivered.id
}

output "undelivered_topic_name" {
  value = google_pubsub_topic.undelivered.name
}

output "announced_subscription" {
  value = google_pubsub_subscription.announced.name
}
