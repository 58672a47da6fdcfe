# The tables that panes are merged into.

module "warehouse" {
  source = "./modules/warehouse"

  project         = var.project
  location        = var.region
  dataset         = local.manifest.dataset
  tables          = local.manifest.tables
  labels          = local.labels
  allow_data_loss = var.allow_data_loss

  depends_on = [google_project_service.used]
}
