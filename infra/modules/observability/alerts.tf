# What somebody must look at. Each says what to do first.

locals {
  subscriptions = join("|", var.subscriptions)

  alerts = {
    dead-letters = {
      title  = "dead letters"
      query  = "sum(increase(${local.promql["dead_letters"]}_sum[5m])) > 0"
      for    = "0s"
      advice = "Elements failed for good. `millrace dead-letters list` groups them by cause; mend the cause, then `millrace dead-letters replay`."
    }
    undelivered = {
      title  = "messages that Pub/Sub gave up"
      query  = "sum(increase(pubsub_googleapis_com:subscription_dead_letter_message_count{subscription_id=~\"${local.subscriptions}\"}[5m])) > 0"
      for    = "0s"
      advice = "A message failed 100 times. Of a source it is a dead letter now; an envelope between stages is sent again by itself. Look for errors in the functions' logs."
    }
    unacknowledged = {
      title  = "old unacknowledged messages"
      query  = "max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{subscription_id=~\"${local.subscriptions}\"}[5m])) > ${var.max_unacknowledged_seconds}"
      for    = "300s"
      advice = "A function does not keep up or fails. `millrace status` shows which; add slots, or look for errors in its log."
    }
    watermark-lag = {
      title  = "a watermark that falls behind"
      query  = "sum by (stage) (increase(${local.promql["watermark_lag"]}_sum[5m])) / sum by (stage) (increase(${local.promql["watermark_lag"]}_count[5m])) > ${var.max_watermark_lag_seconds}"
      for    = "300s"
      advice = "`millrace why STAGE` names what holds it: an envelope, key, timer, view, batch or source."
    }
    open-envelopes = {
      title  = "envelopes that do not settle"
      query  = "sum by (stage) (increase(${local.promql["oldest_open"]}_sum[5m])) / sum by (stage) (increase(${local.promql["oldest_open"]}_count[5m])) > 1800"
      for    = "300s"
      advice = "A stage has not taken an envelope for half an hour, although it was sent again. `millrace doctor` says whether it is paused, of another topology, or failing."
    }
    sweep-absent = {
      title  = "no sweep"
      query  = "absent_over_time(${local.promql["sweeps"]}[10m])"
      for    = "0s"
      advice = "Watermarks stand still and nothing that was lost is sent again. Look at the Cloud Scheduler job and the sweep's log."
    }
    push-errors = {
      title  = "pushes that fail"
      query  = "sum by (subscription_id) (rate(pubsub_googleapis_com:subscription_push_request_count{subscription_id=~\"${local.subscriptions}\",response_class!=\"ack\"}[10m])) / sum by (subscription_id) (rate(pubsub_googleapis_com:subscription_push_request_count{subscription_id=~\"${local.subscriptions}\"}[10m])) > 0.05"
      for    = "600s"
      advice = "One push in twenty is refused; above that Pub/Sub slows the whole subscription. Look for errors in the function's log."
    }
    model-throttled = {
      title  = "a model that throttles"
      query  = "sum by (stage) (increase(${local.promql["model_throttled"]}_sum[10m])) / sum by (stage) (increase(${local.promql["model_calls"]}_sum[10m])) > 0.2"
      for    = "600s"
      advice = "One call in five is answered with 429. Nothing is lost; ask for more quota, or lower the stage's rate."
    }
  }
}

resource "google_monitoring_alert_policy" "this" {
  for_each = local.alerts

  project               = var.project
  display_name          = "Millrace ${var.pipeline}: ${each.value.title}"
  combiner              = "OR"
  notification_channels = var.notification_channels
  user_labels           = var.labels

  conditions {
    display_name = each.value.title

    # PromQL, since a policy of it may name a metric that has no data yet.
    condition_prometheus_query_language {
      query               = each.value.query
      duration            = each.value.for
      evaluation_interval = "60s"
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
