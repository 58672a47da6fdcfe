output "tables" {
  value = {
    for key, table in google_bigquery_table.this : key => { dataset = table.dataset_id, table = table.table_id }
  }
}
