# Each module by itself, with its provider mocked.

mock_provider "google" {}

run "a_stage_function" {
  command = apply

  module {
    source = "./modules/function"
  }

  variables {
    project         = "test-project"
    region          = "us-central1"
    name            = "millrace-flights--delays--0"
    account         = "millrace-flights--delays--0"
    description     = "A stage"
    runtime         = "nodejs24"
    entry_point     = "millrace"
    archive_bucket  = "archives"
    archive         = { path = "delays--0.zip", sha256 = "0123abcd" }
    images          = "projects/test-project/locations/us-central1/repositories/images"
    build_account   = "projects/test-project/serviceAccounts/build@test-project.iam.gserviceaccount.com"
    memory_mib      = 512
    cpu             = 1
    concurrency     = 250
    min_instances   = 0
    max_instances   = 1
    timeout_seconds = 120
    environment     = { MILLRACE_PIPELINE = "flights" }
    database        = "millrace-flights"
    publishes_to    = { next = "next" }
    tables          = { "t" = { dataset = "d", table = "t" } }
    callers         = { push = "push@test-project.iam.gserviceaccount.com" }
    labels          = {}
  }

  assert {
    condition     = google_storage_bucket_object.archive.name == "millrace-flights--delays--0-0123abcd.zip"
    error_message = "The object must be named by its hash, or a new zip would not be deployed."
  }

  assert {
    condition = (
      google_cloudfunctions2_function.this.service_config[0].max_instance_count == 1 &&
      google_cloudfunctions2_function.this.service_config[0].max_instance_request_concurrency == 250 &&
      google_cloudfunctions2_function.this.service_config[0].available_cpu == "1" &&
      google_cloudfunctions2_function.this.service_config[0].available_memory == "512Mi" &&
      google_cloudfunctions2_function.this.service_config[0].timeout_seconds == 120
    )
    error_message = "The function's limits are not those of the manifest."
  }

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].ingress_settings == "ALLOW_INTERNAL_ONLY"
    error_message = "The function must not be reached from the internet."
  }

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].service_account_email == google_service_account.runtime.email
    error_message = "The function must run as its own account."
  }

  assert {
    condition     = [for grant in values(google_cloud_run_v2_service_iam_member.caller_invokes) : grant.member] == ["serviceAccount:push@test-project.iam.gserviceaccount.com"]
    error_message = "Somebody else may call the function."
  }

  assert {
    condition     = google_project_iam_member.function_uses_database.condition[0].expression == "resource.name == \"projects/test-project/databases/millrace-flights\" || resource.name.startsWith(\"projects/test-project/databases/millrace-flights/\")"
    error_message = "The function could use other databases."
  }

  assert {
    condition     = google_bigquery_table_iam_member.sink_writes_table["t"].role == "roles/bigquery.dataEditor" && length(google_project_iam_member.sink_starts_jobs) == 1
    error_message = "A sink needs its table and the right to start jobs."
  }
}

run "a_function_that_is_no_sink_starts_no_jobs" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    project         = "test-project"
    region          = "us-central1"
    name            = "millrace-flights--ingest--flights"
    account         = "millrace-flights--ingest"
    description     = "Ingest: ${join("-", [for i in range(40) : "abc"])}"
    runtime         = "nodejs24"
    entry_point     = "millrace"
    archive_bucket  = "archives"
    archive         = { path = "ingest.zip", sha256 = "0123abcd" }
    images          = "images"
    build_account   = "build"
    memory_mib      = 512
    cpu             = 1
    concurrency     = 250
    min_instances   = 0
    max_instances   = 20
    timeout_seconds = 120
    environment     = {}
    database        = "millrace-flights"
    publishes_to    = {}
    tables          = {}
    callers         = {}
    labels          = {}
  }

  assert {
    condition     = length(google_service_account.runtime.display_name) == 100 && length(google_cloudfunctions2_function.this.description) > 100
    error_message = "An account's name for people has at most 100 characters."
  }

  assert {
    condition     = length(google_project_iam_member.sink_starts_jobs) == 0 && length(google_bigquery_table_iam_member.sink_writes_table) == 0
    error_message = "Only sinks may use BigQuery."
  }

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].max_instance_count == 20
    error_message = "Ingest must scale."
  }
}

run "many_requests_need_a_whole_vcpu" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    project         = "test-project"
    region          = "us-central1"
    name            = "millrace-flights--delays--0"
    account         = "millrace-flights--delays--0"
    description     = "A stage"
    runtime         = "nodejs24"
    entry_point     = "millrace"
    archive_bucket  = "archives"
    archive         = { path = "x.zip", sha256 = "0123abcd" }
    images          = "images"
    build_account   = "build"
    memory_mib      = 512
    cpu             = 0.5
    concurrency     = 2
    min_instances   = 0
    max_instances   = 1
    timeout_seconds = 120
    environment     = {}
    database        = "millrace-flights"
    publishes_to    = {}
    tables          = {}
    callers         = {}
    labels          = {}
  }

  expect_failures = [google_cloudfunctions2_function.this]
}

run "a_source_subscription" {
  command = plan

  module {
    source = "./modules/push-subscription"
  }

  variables {
    project               = "test-project"
    name                  = "millrace-flights--ingest--flights"
    topic                 = "flights"
    endpoint              = "https://f-123.us-central1.run.app/sources/flights"
    audience              = "https://f-123.us-central1.run.app"
    push_account          = "push@test-project.iam.gserviceaccount.com"
    pubsub_agent          = "serviceAccount:service-123@gcp-sa-pubsub.iam.gserviceaccount.com"
    ack_deadline_seconds  = 150
    retention_seconds     = 2678400
    min_backoff_seconds   = 10
    max_backoff_seconds   = 600
    dead_letter_topic     = "projects/test-project/topics/undelivered"
    max_delivery_attempts = 100
    keeps_messages        = true
    labels                = {}
  }

  assert {
    condition = (
      google_pubsub_subscription.this.push_config[0].oidc_token[0].service_account_email == "push@test-project.iam.gserviceaccount.com" &&
      google_pubsub_subscription.this.push_config[0].oidc_token[0].audience == "https://f-123.us-central1.run.app"
    )
    error_message = "Pushes must carry the push account's token for the bare address."
  }

  assert {
    condition     = google_pubsub_subscription.this.retry_policy[0].minimum_backoff == "10s" && google_pubsub_subscription.this.retry_policy[0].maximum_backoff == "600s"
    error_message = "Without backoff a failing function would be stormed."
  }

  assert {
    condition     = google_pubsub_subscription.this.dead_letter_policy[0].max_delivery_attempts == 100
    error_message = "Also \"no instance is free\" counts as an attempt; allow as many as there can be."
  }

  assert {
    condition     = google_pubsub_subscription.this.expiration_policy[0].ttl == ""
    error_message = "An idle pipeline's subscription would vanish."
  }

  assert {
    condition     = google_pubsub_subscription_iam_member.pubsub_moves_undelivered[0].role == "roles/pubsub.subscriber"
    error_message = "Without the grant no attempt is counted."
  }

  assert {
    condition     = length(terraform_data.keeps_messages) == 1
    error_message = "A source's backlog must be guarded."
  }
}

run "an_acknowledgement_deadline_out_of_range" {
  command = plan

  module {
    source = "./modules/push-subscription"
  }

  variables {
    project              = "test-project"
    name                 = "s"
    topic                = "t"
    endpoint             = "https://f/x"
    audience             = "https://f"
    push_account         = "push"
    pubsub_agent         = "agent"
    ack_deadline_seconds = 601
    retention_seconds    = 604800
    min_backoff_seconds  = 1
    max_backoff_seconds  = 60
    keeps_messages       = false
    labels               = {}
  }

  expect_failures = [var.ack_deadline_seconds]
}

run "a_database_that_keeps_its_data" {
  command = plan

  module {
    source = "./modules/firestore"
  }

  variables {
    project         = "test-project"
    location        = "us-central1"
    database        = "millrace-flights"
    indexes         = { cells-by-event-due = { collection = "cells", fields = ["shard", "eventDue"] } }
    exemptions      = { cells = "*" }
    allow_data_loss = false
  }

  assert {
    condition     = google_firestore_database.this.delete_protection_state == "DELETE_PROTECTION_ENABLED" && google_firestore_database.this.deletion_policy == "ABANDON"
    error_message = "The database must be protected unless data may be lost."
  }

  assert {
    condition     = [for field in google_firestore_index.query["cells-by-event-due"].fields : field.field_path] == ["shard", "eventDue"]
    error_message = "An index must have its query's fields, in order."
  }

  assert {
    condition     = google_firestore_field.exempt["cells"].field == "*" && length(google_firestore_field.exempt["cells"].index_config) == 1
    error_message = "A collection must be exempt as a whole."
  }
}

run "a_sweep" {
  command = apply

  module {
    source = "./modules/sweep"
  }

  variables {
    project                  = "test-project"
    region                   = "us-central1"
    name                     = "millrace-flights--sweep"
    endpoint                 = "https://f/sweep"
    audience                 = "https://f"
    account                  = "scheduler@test-project.iam.gserviceaccount.com"
    schedule                 = "* * * * *"
    attempt_deadline_seconds = 180
  }

  assert {
    condition     = google_cloud_scheduler_job.sweep.http_target[0].uri == "https://f/sweep" && google_cloud_scheduler_job.sweep.http_target[0].oidc_token[0].audience == "https://f"
    error_message = "The call's token must be for the bare address."
  }

  assert {
    condition     = google_cloud_scheduler_job.sweep.schedule == "* * * * *" && google_cloud_scheduler_job.sweep.time_zone == "Etc/UTC"
    error_message = "A sweep a minute."
  }
}

run "tables" {
  command = plan

  module {
    source = "./modules/warehouse"
  }

  variables {
    project  = "test-project"
    location = "us-central1"
    dataset  = "millrace_flights"
    tables = {
      departures = {
        name         = "departures"
        partition_by = "window_start"
        cluster_by   = ["airport"]
        schema       = [{ name = "airport", type = "STRING", mode = "REQUIRED" }, { name = "window_start", type = "TIMESTAMP", mode = "REQUIRED" }]
      }
      "theirs.plain" = {
        dataset    = "theirs"
        name       = "plain"
        cluster_by = []
        schema     = [{ name = "x", type = "STRING", mode = "NULLABLE" }]
      }
    }
    labels          = {}
    allow_data_loss = false
  }

  assert {
    condition     = google_bigquery_table.this["departures"].time_partitioning[0].field == "window_start" && google_bigquery_table.this["departures"].clustering == tolist(["airport"])
    error_message = "Partitioning and clustering must be the sink's."
  }

  assert {
    condition     = google_bigquery_table.this["theirs.plain"].dataset_id == "theirs" && length(google_bigquery_table.this["theirs.plain"].time_partitioning) == 0
    error_message = "A table goes into the dataset that its author named."
  }

  assert {
    condition     = google_bigquery_table.this["departures"].deletion_protection
    error_message = "A table must be protected unless data may be lost."
  }

  assert {
    condition     = jsondecode(google_bigquery_table.this["departures"].schema)[1].mode == "REQUIRED"
    error_message = "The schema must be the sink's."
  }
}

run "alerts_and_dashboard" {
  command = apply

  module {
    source = "./modules/observability"
  }

  variables {
    project  = "test-project"
    pipeline = "flights"
    metrics = {
      millrace_flights_sweeps        = { filter = "f", by_stage = false, unit = "1", description = "Sweeps" }
      millrace_flights_watermark_lag = { filter = "f", field = "watermarkLagSeconds", by_stage = true, unit = "s", description = "Lag" }
    }
    alerts                = { sweep-absent = { title = "no sweep", query = "absent_over_time(x[10m])", for_seconds = 0, advice = "Look at the job." } }
    dashboard             = "{}"
    notification_channels = ["projects/test-project/notificationChannels/1"]
    labels                = {}
  }

  assert {
    condition     = google_monitoring_alert_policy.this["sweep-absent"].conditions[0].condition_prometheus_query_language[0].query == "absent_over_time(x[10m])"
    error_message = "An alert must ask what the manifest says."
  }

  assert {
    condition     = google_monitoring_alert_policy.this["sweep-absent"].documentation[0].content == "Look at the job." && google_monitoring_alert_policy.this["sweep-absent"].notification_channels == tolist(["projects/test-project/notificationChannels/1"])
    error_message = "An alert must say what to do, and reach somebody."
  }

  assert {
    condition     = google_logging_metric.this["millrace_flights_watermark_lag"].value_extractor == "EXTRACT(jsonPayload.watermarkLagSeconds)" && google_logging_metric.this["millrace_flights_watermark_lag"].metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "A metric must read the field that is logged."
  }

  assert {
    condition     = google_logging_metric.this["millrace_flights_sweeps"].metric_descriptor[0].value_type == "INT64" && google_logging_metric.this["millrace_flights_sweeps"].value_extractor == null
    error_message = "Lines without a field are counted."
  }

  assert {
    condition     = length(google_logging_metric.this["millrace_flights_watermark_lag"].bucket_options) == 1 && length(google_logging_metric.this["millrace_flights_sweeps"].bucket_options) == 0
    error_message = "A distribution needs boundaries, and a count has none."
  }

  assert {
    condition     = google_monitoring_alert_policy.this["sweep-absent"].conditions[0].condition_prometheus_query_language[0].disable_metric_validation
    error_message = "An alert must be made before its metric has data."
  }
}
