# Where dead letters are announced, and where Pub/Sub puts what it could not deliver. The dead letters themselves are
# documents in Firestore, written in the commit that gives up.

locals {
  dead_letter_subscription = one([for name, each in local.manifest.subscriptions : merge(each, { name = name }) if each.kind == "deadLetters"])
  undelivered_subscription = one([for name, each in local.manifest.subscriptions : merge(each, { name = name }) if each.kind == "undelivered"])
}

module "dead_letters" {
  source = "./modules/dead-letters"

  project           = var.project
  announced_topic   = local.dead_letter_subscription.topic
  undelivered_topic = local.undelivered_subscription.topic
  pubsub_agent      = local.pubsub_agent
  labels            = local.labels

  announced_subscription = {
    name                 = local.dead_letter_subscription.name
    ack_deadline_seconds = local.dead_letter_subscription.ack_deadline_seconds
    retention_seconds    = local.dead_letter_subscription.retention_seconds
  }

  depends_on = [google_project_service.used]
}

# Whatever Pub/Sub gave up is pushed to the sweep's function, which keeps a source's messages as dead letters and drops
# envelopes (the sweep sends those again from the outbox).
module "undelivered_subscription" {
  source = "./modules/push-subscription"

  project              = var.project
  name                 = local.undelivered_subscription.name
  topic                = module.dead_letters.undelivered_topic_name
  endpoint             = "${local.addresses[local.undelivered_subscription.push_function]}${local.undelivered_subscription.push_path}"
  audience             = local.addresses[local.undelivered_subscription.push_function]
  push_account         = google_service_account.push.email
  pubsub_agent         = local.pubsub_agent
  ack_deadline_seconds = local.undelivered_subscription.ack_deadline_seconds
  retention_seconds    = local.undelivered_subscription.retention_seconds
  min_backoff_seconds  = local.undelivered_subscription.min_backoff_seconds
  max_backoff_seconds  = local.undelivered_subscription.max_backoff_seconds
  keeps_messages       = true
  labels               = local.labels

  depends_on = [module.function]
}
