/** Whether a manifest holds all that the running code will ask for. Written from the code's side, not the manifest's. */
import { readConfiguration } from '../../functions/cloud/configuration.ts';
import { Paths } from '../../functions/cloud/firestore/paths.ts';
import { structuredQuery } from '../../functions/cloud/firestore/structured-query.ts';
import { PubSubBus } from '../../functions/cloud/pubsub/bus.ts';
import { shardId } from '../../functions/engine/protocol/names.ts';
import type { Manifest } from '../../functions/plan/manifest.ts';
import type { Plan } from '../../functions/plan/plan.ts';
import { deadLetterTopic } from '../../functions/plan/resource-names.ts';
import { QUERIES } from '../../functions/ports/queries.ts';
import { COLLECTIONS } from '../../functions/ports/store.ts';

/** @returns a sentence for each thing that is missing */
export function auditManifest(plan: Plan, manifest: Manifest): string[] {
  return [
    ...deliveryProblems(plan, manifest),
    ...publishProblems(plan, manifest),
    ...configurationProblems(manifest),
    ...storeProblems(manifest),
    ...tableProblems(plan, manifest),
    ...modelProblems(plan, manifest),
  ];
}

/** Every message that the bus sends reaches a function that serves its stage in its slot, and every source one too. */
function deliveryProblems(plan: Plan, { subscriptions, functions, sweep }: Manifest): string[] {
  const bus = new PubSubBus(plan, { projectId: 'p' });
  const problems: string[] = [];
  const reaches = (topic: string, serves: string, slot: number | null): void => {
    const pushes = subscriptions.filter((each) => each.topic === topic && each.push !== null);
    const target = functions.find(({ id }) => id === pushes[0]?.push?.function);
    if (pushes.length !== 1) problems.push(`topic ${topic} has ${pushes.length} push subscriptions`);
    else if (target === undefined) problems.push(`what pushes from ${topic} has no function`);
    else if (!target.environment['MILLRACE_SERVES']?.split(',').includes(serves))
      problems.push(`${target.name} does not serve ${serves}`);
    else if (slot !== null && target.environment['MILLRACE_SLOT'] !== String(slot))
      problems.push(`${target.name} is not slot ${slot}`);
    else if (target.timeoutSeconds >= pushes[0]!.ackDeadlineSeconds)
      problems.push(`${target.name} may work longer than its push waits`);
    else if (slot !== null && target.maxInstances !== 1) problems.push(`${target.name} may have several instances`);
  };
  for (const stage of plan.stages)
    for (let shard = 0; shard < stage.shards; shard++)
      reaches(bus.topicOf(shardId(stage.id, shard)), `stage:${stage.id}`, shard % stage.slots);
  for (const { id, node } of plan.sources) reaches(node.source.topic, `source:${id}`, null);
  if (!functions.some(({ id, serves }) => id === sweep.function && serves.some(({ path }) => path === sweep.path)))
    problems.push('the sweep calls no function that serves it');
  return problems;
}

/** Whoever runs a shard or a source may publish to every topic there is to publish to, for a sweep may be its turn. */
function publishProblems(plan: Plan, { functions, topics, grants }: Manifest): string[] {
  const bus = new PubSubBus(plan, { projectId: 'p' });
  const published = [
    ...plan.stages.flatMap((stage) =>
      Array.from({ length: stage.shards }, (_, shard) => bus.topicOf(shardId(stage.id, shard))),
    ),
    ...plan.graph.nodes.flatMap((node) => (node.kind === 'writePubSub' ? [node.topic] : [])),
    deadLetterTopic(plan.pipeline),
  ];
  return [...new Set(published)].flatMap((topic) => [
    ...(topics.some(({ name }) => name === topic) ? [] : [`there is no topic ${topic}`]),
    ...functions
      .filter(
        ({ id }) =>
          !grants.some(
            ({ member, role, on }) =>
              member.kind === 'function' &&
              member.id === id &&
              role === 'roles/pubsub.publisher' &&
              on.kind === 'topic' &&
              on.name === topic,
          ),
      )
      .map(({ name }) => `${name} may not publish to ${topic}`),
  ]);
}

/** Every function starts with the variables that it is given. */
function configurationProblems({ functions, projectVariables }: Manifest): string[] {
  const project = Object.fromEntries(projectVariables.map((name) => [name, `value of ${name}`]));
  return functions.flatMap(({ name, environment }) => {
    try {
      const { identity } = readConfiguration({ ...environment, ...project, K_SERVICE: name });
      return identity.mode === 'iam' ? [] : [`${name} would let in ${identity.mode}`];
    } catch (error) {
      return [`${name} does not start: ${String(error)}`];
    }
  });
}

/** Every query that the store makes has its index, and every collection is exempt from all others. */
function storeProblems({ firestore }: Manifest): string[] {
  const paths = new Paths('p', firestore.database, 'x');
  const queries = QUERIES.flatMap((query) => {
    const equals = Object.fromEntries(query.equal.map((field) => [field, 'x']));
    const { where, orderBy, from } = structuredQuery(query, equals, { limit: 1, atMost: 0 as never }, paths);
    const filtered = where?.compositeFilter?.filters?.map((each) => each.fieldFilter?.field?.fieldPath) ?? [];
    const ordered = orderBy?.map((each) => each.field?.fieldPath) ?? [];
    const wanted = [...new Set([...filtered, ...ordered])].filter((field) => field !== '__name__').join(',');
    const has = firestore.indexes.some(
      ({ collection, fields }) =>
        collection === from?.[0]?.collectionId && fields.map(({ path }) => path).join(',') === wanted,
    );
    return has ? [] : [`no index of ${query.collection} by ${wanted}`];
  });
  const collections = COLLECTIONS.flatMap((collection) => {
    // `…/documents/millrace/x/cells/1`: the group is the last but one.
    const group = paths
      .of({ collection, id: collection === 'pipeline' ? 'pipeline' : '1' })
      .split('/')
      .at(-2)!;
    return firestore.exemptions.some((each) => each.collection === group && each.field === '*')
      ? []
      : [`${group} is indexed field by field`];
  });
  return [...queries, ...collections];
}

/** Every sink has its table, with all its columns, and may write it. */
function tableProblems(plan: Plan, { tables, grants }: Manifest): string[] {
  return plan.stages.flatMap(({ id, head }) => {
    if (head.kind !== 'writeBigQuery') return [];
    const table = tables.find(({ stage }) => stage === id);
    if (table === undefined) return [`there is no table for ${id}`];
    const columns = table.schema.map(({ name }) => name);
    const missing = head.columns.filter(({ name }) => !columns.includes(name));
    const may = grants.some(({ role, on }) => role === 'roles/bigquery.dataEditor' && on.name === head.table);
    return [
      ...missing.map(({ name }) => `table ${table.name} has no column ${name}`),
      ...(may ? [] : [`nobody may write table ${table.name}`]),
    ];
  });
}

/** Every stage that asks a model may. */
function modelProblems(plan: Plan, { functions, grants }: Manifest): string[] {
  return plan.stages.flatMap(({ id, head }) => {
    if (head.kind !== 'enrich') return [];
    const hosts = functions.filter(({ serves }) => serves.some((each) => each.kind === 'stage' && each.id === id));
    const may = hosts.filter((host) =>
      grants.some(
        ({ member, role }) => role === 'roles/aiplatform.user' && member.kind === 'function' && member.id === host.id,
      ),
    );
    return hosts.length > 0 && may.length === hosts.length ? [] : [`nobody may ask the model of ${id}`];
  });
}
