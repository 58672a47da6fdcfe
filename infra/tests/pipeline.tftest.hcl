# The whole, for any pipeline: its manifest comes by -var-file (test/infra/check-terraform.ts writes it). No cloud is
# touched; every call of the provider is mocked.

mock_provider "google" {
  mock_data "google_project" {
    defaults = {
      number = "123456789012"
    }
  }
}

variables {
  project = "test-project"
}

run "everything_in_the_manifest_is_made" {
  command = plan

  assert {
    condition     = toset(keys(module.function)) == toset(keys(var.manifest.functions))
    error_message = "A function of the manifest is missing, or there is one too many."
  }

  assert {
    condition     = toset(keys(module.push_subscription)) == toset([for name, each in var.manifest.subscriptions : name if contains(["source", "stage"], each.kind)])
    error_message = "A push subscription of the manifest is missing, or there is one too many."
  }

  assert {
    condition     = toset(concat(keys(google_pubsub_topic.stage), keys(google_pubsub_topic.outside))) == toset([for name, kind in var.manifest.topics : name if contains(["stage", "source", "sink"], kind)])
    error_message = "A topic of the manifest is missing, or there is one too many."
  }

  assert {
    condition     = toset(keys(output.tables)) == toset(keys(var.manifest.tables))
    error_message = "A table of the manifest is missing, or there is one too many."
  }

  assert {
    condition     = alltrue([for address in values(output.functions) : can(regex("^https://[a-z0-9-]{1,63}\\.us-central1\\.run\\.app$", address))])
    error_message = "An address does not fit a host name."
  }

  assert {
    condition     = output.topology.version == var.manifest.topology && output.topology.fingerprint == var.manifest.fingerprint
    error_message = "The topology must be told, so that the next deployment can compare it."
  }
}

run "existing_topics_are_left_alone" {
  command = plan

  variables {
    existing_topics = [for name, kind in var.manifest.topics : name if kind == "source"]
  }

  assert {
    condition     = length([for topic in keys(google_pubsub_topic.outside) : topic if var.manifest.topics[topic] == "source"]) == 0
    error_message = "A topic that somebody else owns would be made."
  }
}

run "operators_get_no_more_than_their_commands_need" {
  command = plan

  variables {
    operators = ["group:ops@example.com"]
  }

  assert {
    condition = alltrue([
      for grant in concat(values(google_project_iam_member.operator_uses_database), values(google_project_iam_member.operator_reads_backlog)) :
      contains(["roles/datastore.user", "roles/monitoring.viewer"], grant.role) && grant.member == "group:ops@example.com"
    ])
    error_message = "An operator would get another role on the project."
  }

  assert {
    condition     = strcontains(google_project_iam_member.operator_uses_database["group:ops@example.com"].condition[0].expression, "/databases/${var.manifest.database}")
    error_message = "An operator could use databases of other pipelines."
  }
}
