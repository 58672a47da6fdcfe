/** The plan as a Mermaid flowchart: sources, stages with what is fused into them, tables and topics. */
import type { Plan, PlannedSource, Stage } from './plan.ts';

export function mermaid(plan: Plan): string {
  const lines = ['flowchart LR'];
  for (const source of plan.sources) lines.push(`  ${key(source.id)}([${label(sourceLines(source))}])`);
  for (const stage of plan.stages) {
    const text = label(stageLines(stage));
    lines.push(stage.head.kind === 'writeBigQuery' ? `  ${key(stage.id)}[(${text})]` : `  ${key(stage.id)}[${text}]`);
  }
  for (const topic of sinkTopics(plan)) lines.push(`  ${key(`topic-${topic}`)}>${label([topic])}]`);
  for (const stage of plan.stages) for (const input of stage.inputs) lines.push(`  ${key(input)} --> ${key(stage.id)}`);
  for (const part of [...plan.sources, ...plan.stages])
    for (const topic of writtenTopics(plan, part.steps)) lines.push(`  ${key(part.id)} -.-> ${key(`topic-${topic}`)}`);
  return lines.join('\n');
}

function sourceLines({ id, node, steps, reader }: PlannedSource): string[] {
  return [`source ${id}`, reader === 'messages' ? `topic ${node.source.topic}` : 'file', ...stepLine(steps)];
}

function stageLines({ id, head, shards, slots, steps }: Stage): string[] {
  const where = `${count(shards, 'shard')}, ${count(slots, 'slot')}`;
  const what = head.kind === 'writeBigQuery' ? `table ${head.table}` : head.kind;
  return [`stage ${id}`, what, where, ...stepLine(steps)];
}

function stepLine(steps: readonly string[]): string[] {
  return steps.length === 0 ? [] : [`then ${steps.join(', ')}`];
}

/** The topics outside that steps publish to. */
export function writtenTopics(plan: Plan, steps: readonly string[]): string[] {
  return plan.graph.nodes.flatMap((node) =>
    node.kind === 'writePubSub' && steps.includes(node.name) ? [node.topic] : [],
  );
}

function sinkTopics(plan: Plan): string[] {
  return [...new Set(plan.graph.nodes.flatMap((node) => (node.kind === 'writePubSub' ? [node.topic] : [])))];
}

/** Mermaid's identifiers; a prefix, since some words (`end`) are its own. */
function key(id: string): string {
  return `n_${id.replaceAll(/[^A-Za-z0-9]/g, '_')}`;
}

function label(lines: readonly string[]): string {
  return `"${lines.join('<br/>').replaceAll('"', '#quot;')}"`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
