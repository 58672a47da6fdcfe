# A metric of each figure that the functions write to their logs; the list is functions/plan/telemetry.ts. So no function
# needs the right to write metrics.

locals {
  prefix = "millrace_${replace(var.pipeline, "-", "_")}"

  # Their names in PromQL.
  promql = { for name in keys(var.metrics) : name => "logging_googleapis_com:user_${local.prefix}_${name}" }
}

resource "google_logging_metric" "this" {
  for_each = var.metrics

  project         = var.project
  name            = "${local.prefix}_${each.key}"
  description     = each.value.description
  filter          = "resource.type=\"cloud_run_revision\" AND jsonPayload.pipeline=\"${var.pipeline}\" AND jsonPayload.event=\"${each.value.event}\"${each.value.field == null ? "" : " AND jsonPayload.${each.value.field}:*"}"
  value_extractor = each.value.field == null ? null : "EXTRACT(jsonPayload.${each.value.field})"

  label_extractors = each.value.event == "sweep" ? {} : { stage = "EXTRACT(jsonPayload.stage)" }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = each.value.field == null ? "INT64" : "DISTRIBUTION"
    unit        = each.value.unit

    dynamic "labels" {
      for_each = each.value.event == "sweep" ? [] : ["stage"]

      content {
        key        = labels.value
        value_type = "STRING"
      }
    }
  }
}
