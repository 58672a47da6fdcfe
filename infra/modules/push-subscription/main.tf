# A subscription that pushes a topic's messages to a function, under an identity.

resource "google_pubsub_subscription" "this" {
  project                    = var.project
  name                       = var.name
  topic                      = var.topic
  ack_deadline_seconds       = var.ack_deadline_seconds
  message_retention_duration = "${var.retention_seconds}s"
  labels                     = var.labels

  # Never: an idle pipeline's subscription must not vanish after a month.
  expiration_policy {
    ttl = ""
  }

  push_config {
    push_endpoint = var.endpoint

    oidc_token {
      service_account_email = var.push_account
      audience              = var.audience
    }
  }

  # Without it Pub/Sub would deliver again at once, and a failing function would be stormed.
  retry_policy {
    minimum_backoff = "${var.min_backoff_seconds}s"
    maximum_backoff = "${var.max_backoff_seconds}s"
  }

  dynamic "dead_letter_policy" {
    for_each = var.max_delivery_attempts == null ? [] : [var.max_delivery_attempts]

    content {
      dead_letter_topic     = var.dead_letter_topic
      max_delivery_attempts = dead_letter_policy.value
    }
  }
}

# Stands in for `prevent_destroy`, which cannot depend on a variable: where the subscription's messages exist nowhere
# else, a plan that would destroy or replace it fails here. (Envelopes between stages are in the outbox as well.)
resource "terraform_data" "keeps_messages" {
  count = var.keeps_messages ? 1 : 0

  triggers_replace = [google_pubsub_subscription.this.id]

  lifecycle {
    prevent_destroy = true
  }
}

# Pub/Sub itself may acknowledge in this subscription, because it moves to the dead letters what it could not deliver.
# Without it messages would be tried for ever, and no attempt be counted.
resource "google_pubsub_subscription_iam_member" "pubsub_moves_undelivered" {
  count = var.max_delivery_attempts == null ? 0 : 1

  project      = var.project
  subscription = google_pubsub_subscription.this.name
  role         = "roles/pubsub.subscriber"
  member       = var.pubsub_agent

  lifecycle {
    # A subscription that is made anew has lost its policy.
    replace_triggered_by = [google_pubsub_subscription.this.id]
  }
}
