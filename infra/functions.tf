# The functions: stages with one instance a slot, ingest that scales, the sweep.

resource "google_storage_bucket" "archives" {
  project                     = var.project
  name                        = "${var.project}-${local.manifest.bucket_suffix}"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # holds nothing that `npm run package` cannot make again
  labels                      = local.labels

  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      num_newer_versions = 3
      with_state         = "ARCHIVED"
    }
  }

  versioning {
    enabled = true
  }

  depends_on = [google_project_service.used]
}

module "images" {
  source = "./modules/images"

  project       = var.project
  region        = var.region
  repository    = local.manifest.image_repository
  build_account = local.manifest.accounts.build
  pipeline      = local.manifest.pipeline
  labels        = local.labels

  depends_on = [google_project_service.used]
}

module "function" {
  source   = "./modules/function"
  for_each = local.manifest.functions

  project        = var.project
  region         = var.region
  name           = each.value.name
  account        = each.value.account
  description    = "Millrace ${local.manifest.pipeline}: ${each.key}"
  runtime        = local.manifest.runtime
  entry_point    = local.manifest.entry_point
  archive_bucket = google_storage_bucket.archives.name
  archive        = var.archives[each.key]
  images         = module.images.repository
  build_account  = module.images.build_account
  labels         = local.labels

  memory_mib      = each.value.memory_mib
  cpu             = each.value.cpu
  concurrency     = each.value.concurrency
  min_instances   = each.value.min_instances
  max_instances   = each.value.max_instances
  timeout_seconds = each.value.timeout_seconds

  calls_models = each.value.calls_models
  database     = module.firestore.database
  publishes_to = { for topic in each.value.publishes_to : topic => topic }
  callers      = { for caller in each.value.callers : caller => local.callers[caller] }
  tables       = { for table in each.value.writes_tables : table => module.warehouse.tables[table] }

  environment = merge(each.value.environment, {
    GOOGLE_CLOUD_PROJECT   = var.project
    MILLRACE_REGION        = var.region
    MILLRACE_DATABASE      = local.manifest.database
    MILLRACE_DATASET       = local.manifest.dataset
    MILLRACE_PUSH_AUDIENCE = local.addresses[each.key]
    MILLRACE_PUSH_ACCOUNTS = join(",", [for caller in each.value.callers : local.callers[caller]])
  })

  depends_on = [google_pubsub_topic.stage, google_pubsub_topic.outside, module.dead_letters]
}
