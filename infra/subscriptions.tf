# What pushes to the functions: a subscription a source and a stage's slot. (The dead letters' own are in dead-letters.tf.)

module "push_subscription" {
  source = "./modules/push-subscription"
  for_each = {
    for name, subscription in local.manifest.subscriptions : name => subscription
    if contains(["source", "stage"], subscription.kind)
  }

  project               = var.project
  name                  = each.key
  topic                 = each.value.topic
  endpoint              = "${local.addresses[each.value.push_function]}${each.value.push_path}"
  audience              = local.addresses[each.value.push_function]
  push_account          = google_service_account.push.email
  pubsub_agent          = local.pubsub_agent
  ack_deadline_seconds  = each.value.ack_deadline_seconds
  retention_seconds     = each.value.retention_seconds
  min_backoff_seconds   = each.value.min_backoff_seconds
  max_backoff_seconds   = each.value.max_backoff_seconds
  dead_letter_topic     = module.dead_letters.undelivered_topic
  max_delivery_attempts = each.value.max_delivery_attempts
  keeps_messages        = each.value.kind == "source"
  labels                = local.labels

  depends_on = [module.function]
}
