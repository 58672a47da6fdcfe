# Alerts and the dashboard.

module "observability" {
  source = "./modules/observability"

  project                    = var.project
  pipeline                   = local.manifest.pipeline
  metrics                    = local.manifest.metrics
  labels                     = local.labels
  functions                  = [for function in values(local.manifest.functions) : function.name]
  subscriptions              = [for name, each in local.manifest.subscriptions : name if contains(["source", "stage"], each.kind)]
  dead_letter_subscription   = local.dead_letter_subscription.name
  database                   = local.manifest.database
  notification_channels      = var.notification_channels
  max_watermark_lag_seconds  = var.max_watermark_lag_seconds
  max_unacknowledged_seconds = var.max_unacknowledged_seconds

  depends_on = [google_project_service.used]
}
