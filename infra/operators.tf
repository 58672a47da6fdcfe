# What the operators' commands need (status, why, dead-letters, pause, drain). Nobody, unless var.operators names them.

# Operators may read and change the pipeline's documents, because replays, discards and drains are commits.
resource "google_project_iam_member" "operator_uses_database" {
  for_each = var.operators

  project = var.project
  role    = "roles/datastore.user"
  member  = each.key

  condition {
    title      = "only-${local.manifest.database}"
    expression = "resource.name == \"projects/${var.project}/databases/${local.manifest.database}\" || resource.name.startsWith(\"projects/${var.project}/databases/${local.manifest.database}/\")"
  }
}

# Operators may read metrics, because status shows backlogs.
resource "google_project_iam_member" "operator_reads_backlog" {
  for_each = var.operators

  project = var.project
  role    = "roles/monitoring.viewer"
  member  = each.key
}

# Operators may read the announcements of dead letters, because `dead-letters list --watch` follows them.
resource "google_pubsub_subscription_iam_member" "operator_reads_dead_letters" {
  for_each = var.operators

  project      = var.project
  subscription = module.dead_letters.announced_subscription
  role         = "roles/pubsub.subscriber"
  member       = each.key
}

# Operators may change the pipeline's push subscriptions, because pause takes a subscription's endpoint away and resume
# sets it again.
resource "google_pubsub_subscription_iam_member" "operator_pauses" {
  for_each = {
    for pair in setproduct([for name, each in local.manifest.subscriptions : name if contains(["source", "stage"], each.kind)], var.operators) :
    "${pair[0]} ${pair[1]}" => { subscription = pair[0], member = pair[1] }
  }

  project      = var.project
  subscription = module.push_subscription[each.value.subscription].name
  role         = "roles/pubsub.editor"
  member       = each.value.member
}

# Operators may publish to stage topics, because a replay sends its elements to the stages.
resource "google_pubsub_topic_iam_member" "operator_replays" {
  for_each = {
    for pair in setproduct(local.stage_topics, var.operators) :
    "${pair[0]} ${pair[1]}" => { topic = pair[0], member = pair[1] }
  }

  project = var.project
  topic   = google_pubsub_topic.stage[each.value.topic].name
  role    = "roles/pubsub.publisher"
  member  = each.value.member
}
