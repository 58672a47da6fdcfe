# Metrics from the functions' logs, alerts and the dashboard.

module "observability" {
  source = "./modules/observability"

  project               = var.project
  pipeline              = local.manifest.pipeline
  metrics               = local.manifest.metrics
  alerts                = local.manifest.alerts
  dashboard             = local.manifest.dashboard
  notification_channels = var.notification_channels
  labels                = local.labels

  # Alerts come last, and go first: what is absent before the first sweep is no alarm.
  depends_on = [google_project_service.used, module.sweep]
}
