# One page: is data flowing, how late is it, what failed, and what does it cost.

locals {
  functions_filter = join("|", var.functions)

  charts = [
    { title = "Elements a second, by stage", queries = { "{{stage}}" = "sum by (stage) (rate(${local.promql["elements"]}_sum[5m]))" } },
    { title = "Watermark lag (seconds), by stage", queries = { "{{stage}}" = "sum by (stage) (increase(${local.promql["watermark_lag"]}_sum[5m])) / sum by (stage) (increase(${local.promql["watermark_lag"]}_count[5m]))" } },
    { title = "Panes a minute", queries = {
      early     = "60 * sum(rate(${local.promql["panes_early"]}_sum[5m]))"
      "on time" = "60 * sum(rate(${local.promql["panes_on_time"]}_sum[5m]))"
      late      = "60 * sum(rate(${local.promql["panes_late"]}_sum[5m]))"
    } },
    { title = "Dead letters and late records in 5 minutes", queries = {
      "dead letters"                = "sum by (stage) (increase(${local.promql["dead_letters"]}_sum[5m]))"
      "late records"                = "sum by (stage) (increase(${local.promql["late"]}_sum[5m]))"
      "announced and not looked at" = "max(pubsub_googleapis_com:subscription_num_undelivered_messages{subscription_id=\"${var.dead_letter_subscription}\"})"
    } },
    { title = "Unacknowledged messages", queries = { "{{subscription_id}}" = "max by (subscription_id) (pubsub_googleapis_com:subscription_num_undelivered_messages{subscription_id=~\"${local.subscriptions}\"})" } },
    { title = "Oldest unacknowledged message (seconds)", queries = { "{{subscription_id}}" = "max by (subscription_id) (pubsub_googleapis_com:subscription_oldest_unacked_message_age{subscription_id=~\"${local.subscriptions}\"})" } },
    { title = "Oldest open envelope (seconds), by stage", queries = { "{{stage}}" = "sum by (stage) (increase(${local.promql["oldest_open"]}_sum[5m])) / sum by (stage) (increase(${local.promql["oldest_open"]}_count[5m]))" } },
    { title = "Calls of models a minute", queries = {
      calls     = "60 * sum(rate(${local.promql["model_calls"]}_sum[5m]))"
      throttled = "60 * sum(rate(${local.promql["model_throttled"]}_sum[5m]))"
    } },
    { title = "Cost: Firestore operations a second", queries = {
      reads   = "sum(rate(firestore_googleapis_com:document_read_ops_count{database_id=\"${var.database}\"}[5m]))"
      writes  = "sum(rate(firestore_googleapis_com:document_write_ops_count{database_id=\"${var.database}\"}[5m]))"
      deletes = "sum(rate(firestore_googleapis_com:document_delete_ops_count{database_id=\"${var.database}\"}[5m]))"
    } },
    { title = "Cost: requests a second, by function", queries = { "{{service_name}}" = "sum by (service_name) (rate(run_googleapis_com:request_count{service_name=~\"${local.functions_filter}\"}[5m]))" } },
    { title = "Cost: vCPU seconds a second, by function", queries = { "{{service_name}}" = "sum by (service_name) (rate(run_googleapis_com:container_cpu_allocation_time{service_name=~\"${local.functions_filter}\"}[5m]))" } },
    { title = "Cost: GiB seconds a second, by function", queries = { "{{service_name}}" = "sum by (service_name) (rate(run_googleapis_com:container_memory_allocation_time{service_name=~\"${local.functions_filter}\"}[5m]))" } },
    { title = "Cost: Pub/Sub bytes a second", queries = { "{{subscription_id}}" = "sum by (subscription_id) (rate(pubsub_googleapis_com:subscription_byte_cost{subscription_id=~\"${local.subscriptions}\"}[5m]))" } },
    { title = "Cost: BigQuery bytes billed an hour (project)", queries = { billed = "3600 * sum(rate(bigquery_googleapis_com:query_statement_scanned_bytes_billed[1h]))" } },
  ]
}

resource "google_monitoring_dashboard" "this" {
  project = var.project

  dashboard_json = jsonencode({
    displayName = "Millrace ${var.pipeline}"
    labels      = { millrace = "" }
    mosaicLayout = {
      columns = 48
      tiles = [
        for place, chart in local.charts : {
          xPos   = place % 2 * 24
          yPos   = floor(place / 2) * 16
          width  = 24
          height = 16
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [
                for legend, query in chart.queries : {
                  plotType        = "LINE"
                  legendTemplate  = legend
                  timeSeriesQuery = { prometheusQuery = query }
                }
              ]
            }
          }
        }
      ]
    }
  })
}
