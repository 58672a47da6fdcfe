# Topics between stages, and those outside that nobody else has made.

locals {
  stage_topics   = [for name, kind in local.manifest.topics : name if kind == "stage"]
  source_topics  = [for name, kind in local.manifest.topics : name if kind == "source" && !contains(var.existing_topics, name)]
  sink_topics    = [for name, kind in local.manifest.topics : name if kind == "sink" && !contains(var.existing_topics, name)]
  outside_topics = toset(concat(local.source_topics, local.sink_topics))
}

# Transport only: what they hold is in the senders' outboxes as well, so they may go and come back.
resource "google_pubsub_topic" "stage" {
  for_each = toset(local.stage_topics)

  project = var.project
  name    = each.key
  labels  = local.labels

  depends_on = [google_project_service.used]
}

# What waits in these exists nowhere else.
resource "google_pubsub_topic" "outside" {
  for_each = local.outside_topics

  project = var.project
  name    = each.key
  labels  = local.labels

  lifecycle {
    prevent_destroy = true
  }

  depends_on = [google_project_service.used]
}

# Whoever var.publishers names may publish events to the source topics that are made here, because that is where events
# come from.
resource "google_pubsub_topic_iam_member" "publisher_sends_events" {
  for_each = {
    for pair in setproduct(local.source_topics, var.publishers) : "${pair[0]} ${pair[1]}" => { topic = pair[0], member = pair[1] }
  }

  project = var.project
  topic   = google_pubsub_topic.outside[each.value.topic].name
  role    = "roles/pubsub.publisher"
  member  = each.value.member
}
