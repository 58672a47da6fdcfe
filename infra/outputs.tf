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

output "dashboard" {
  description = "The dashboard's name in Cloud Monitoring."
  value       = module.observability.dashboard
}
