# The sweep, once a minute: all that an idle pipeline does.

module "sweep" {
  source = "./modules/sweep"

  project                  = var.project
  region                   = var.region
  name                     = local.manifest.functions[local.manifest.sweep.function].name
  endpoint                 = "${local.addresses[local.manifest.sweep.function]}${local.manifest.sweep.path}"
  audience                 = local.addresses[local.manifest.sweep.function]
  account                  = google_service_account.scheduler.email
  schedule                 = local.manifest.sweep.schedule
  attempt_deadline_seconds = local.manifest.sweep.attempt_deadline_seconds

  depends_on = [module.function]
}
