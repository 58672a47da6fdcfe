output "topology" {
  description = "What runs; `npm run deploy` compares it with what is to run."
  value = {
    version     = local.manifest.topology
    fingerprint = local.manifest.fingerprint
  }
}

output "source_topics" {
  description = "Where events are published."
  value       = [for name, kind in local.manifest.topics : name if kind == "source"]
}

output "tables" {
  description = "Where rows arrive: project.dataset.table."
  value       = { for key, table in module.warehouse.tables : key => "${var.project}.${table.dataset}.${table.table}" }
}

output "functions" {
  description = "The address of each function. Only Pub/Sub and Cloud Scheduler may call them."
  value       = local.addresses
}

output "accounts" {
  description = "The account of each function, for grants on things that the pipeline's author uses (look-ups, other projects' topics)."
  value       = { for id, function in module.function : id => function.account }
}

output "dashboard" {
  description = "The dashboard's name in Cloud Monitoring."
  value       = module.observability.dashboard
}
