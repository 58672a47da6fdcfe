import type { Source } from '../../model/source.ts';
import type { Plan, Stage } from '../../plan/plan.ts';
import type { IdRule, IdRules } from './id-state.ts';

/** The sources whose elements a stage is the first to take by their ids; none for most stages. */
export function idRulesOf(plan: Plan, stage: Stage): IdRules {
  const rules = new Map<string, IdRule>();
  for (const { id, reader, node } of plan.sources) {
    const { exactlyOnce, idHorizon } = node.source;
    if (reader !== 'messages' || !exactlyOnce || !stage.inputs.includes(id)) continue;
    rules.set(id, { horizon: idHorizon, by: timesOf(node.source) });
  }
  return rules;
}

function timesOf({ id, eventTime }: Source): IdRule['by'] {
  if (id === undefined) return 'publishTime';
  return eventTime === undefined ? 'publishTimes' : 'eventTime';
}
