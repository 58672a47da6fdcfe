# The pipeline's own database: roots, cells, outbox, ids, views, dead letters.

resource "google_firestore_database" "this" {
  project                           = var.project
  name                              = var.database
  location_id                       = var.location
  type                              = "FIRESTORE_NATIVE"
  concurrency_mode                  = "PESSIMISTIC"
  app_engine_integration_mode       = "DISABLED"
  point_in_time_recovery_enablement = var.point_in_time_recovery ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED"
  delete_protection_state           = var.allow_data_loss ? "DELETE_PROTECTION_DISABLED" : "DELETE_PROTECTION_ENABLED"
  deletion_policy                   = var.allow_data_loss ? "DELETE" : "ABANDON"

  lifecycle {
    prevent_destroy = true
  }
}

# One for each query that the code makes; the list is functions/ports/queries.ts.
resource "google_firestore_index" "query" {
  for_each = var.indexes

  project     = var.project
  database    = google_firestore_database.this.name
  collection  = each.value.collection
  query_scope = "COLLECTION"

  dynamic "fields" {
    for_each = each.value.fields

    content {
      field_path = fields.value
      order      = "ASCENDING"
    }
  }
}

# Nothing else is indexed: an index of every field would cost on each write and make hot spots of fields that rise.
resource "google_firestore_field" "exempt" {
  for_each = var.exemptions

  project    = var.project
  database   = google_firestore_database.this.name
  collection = each.key
  field      = each.value

  index_config {}
}
