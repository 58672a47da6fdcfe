# The pipeline's memory.

module "firestore" {
  source = "./modules/firestore"

  project         = var.project
  location        = var.region
  database        = local.manifest.database
  indexes         = local.manifest.indexes
  exemptions      = local.manifest.exemptions
  allow_data_loss = var.allow_data_loss

  depends_on = [google_project_service.used]
}
