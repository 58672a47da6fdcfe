# Two topics: one on which the pipeline announces dead letters to operators, one into which Pub/Sub moves what it could
# not deliver. A topic without a subscription loses what is published to it, so each has one.

resource "google_pubsub_topic" "announced" {
  project = var.project
  name    = var.announced_topic
  labels  = var.labels

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_pubsub_topic" "undelivered" {
  project = var.project
  name    = var.undelivered_topic
  labels  = var.labels

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_pubsub_subscription" "announced" {
  project                    = var.project
  name                       = var.announced_subscription.name
  topic                      = google_pubsub_topic.announced.id
  ack_deadline_seconds       = var.announced_subscription.ack_deadline_seconds
  message_retention_duration = "${var.announced_subscription.retention_seconds}s"
  labels                     = var.labels

  # Never: in good times nobody pulls from it, and it must be there in bad ones.
  expiration_policy {
    ttl = ""
  }

  lifecycle {
    prevent_destroy = true
  }
}

# Pub/Sub itself may publish to the topic of what it could not deliver, because it moves messages there. Without it they
# would be tried for ever.
resource "google_pubsub_topic_iam_member" "pubsub_moves_undelivered" {
  project = var.project
  topic   = google_pubsub_topic.undelivered.name
  role    = "roles/pubsub.publisher"
  member  = var.pubsub_agent
}
