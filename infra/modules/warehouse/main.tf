# The dataset and the tables that sinks merge rows into.

locals {
  # Tables whose author named another dataset go there; it belongs to somebody else and must exist.
  own = [for table in values(var.tables) : table if table.dataset == null]
}

resource "google_bigquery_dataset" "this" {
  count = length(local.own) > 0 ? 1 : 0

  project                    = var.project
  dataset_id                 = var.dataset
  location                   = var.location
  labels                     = var.labels
  delete_contents_on_destroy = false

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_bigquery_table" "this" {
  for_each = var.tables

  project             = var.project
  dataset_id          = each.value.dataset == null ? google_bigquery_dataset.this[0].dataset_id : each.value.dataset
  table_id            = each.value.name
  schema              = jsonencode(each.value.schema)
  clustering          = length(each.value.cluster_by) > 0 ? each.value.cluster_by : null
  deletion_protection = !var.allow_data_loss
  labels              = var.labels

  dynamic "time_partitioning" {
    for_each = each.value.partition_by == null ? [] : [each.value.partition_by]

    content {
      type  = "DAY"
      field = time_partitioning.value
    }
  }

  lifecycle {
    prevent_destroy = true
  }
}
