# What functions write to their logs becomes metrics, so that no function needs the right to write metrics; alerts and
# dashboard read those. All of it comes from functions/plan/{telemetry,alerts,dashboard}.ts.

resource "google_logging_metric" "this" {
  for_each = var.metrics

  project          = var.project
  name             = each.key
  description      = each.value.description
  filter           = each.value.filter
  value_extractor  = each.value.field == null ? null : "EXTRACT(jsonPayload.${each.value.field})"
  label_extractors = each.value.by_stage ? { stage = "EXTRACT(jsonPayload.stage)" } : {}

  # Logging wants boundaries for whatever is no count. Only sums and counts are asked for, so these are its own defaults.
  dynamic "bucket_options" {
    for_each = each.value.field == null ? [] : [each.value.field]

    content {
      exponential_buckets {
        num_finite_buckets = 64
        growth_factor      = 2
        scale              = 0.01
      }
    }
  }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = each.value.field == null ? "INT64" : "DISTRIBUTION"
    unit        = each.value.unit

    dynamic "labels" {
      for_each = each.value.by_stage ? ["stage"] : []

      content {
        key        = labels.value
        value_type = "STRING"
      }
    }
  }
}

resource "google_monitoring_alert_policy" "this" {
  for_each = var.alerts

  project               = var.project
  display_name          = "Millrace ${var.pipeline}: ${each.value.title}"
  combiner              = "OR"
  notification_channels = var.notification_channels
  user_labels           = var.labels

  conditions {
    display_name = each.value.title

    condition_prometheus_query_language {
      query                     = each.value.query
      duration                  = "${each.value.for_seconds}s"
      evaluation_interval       = "60s"
      disable_metric_validation = true # a metric is known some minutes after it was made, and of a new project none has data
    }
  }

  alert_strategy {
    auto_close = "604800s"
  }

  documentation {
    subject   = "Millrace ${var.pipeline}: ${each.value.title}"
    content   = each.value.advice
    mime_type = "text/markdown"
  }

  depends_on = [google_logging_metric.this]
}

resource "google_monitoring_dashboard" "this" {
  project        = var.project
  dashboard_json = var.dashboard
}
