import type { Plan, Stage } from '../../plan/plan.ts';
import type { IdRule, IdRules } from './id-state.ts';

/** The sources whose elements a stage is the first to take by their ids; none for most stages. */
export function idRulesOf(plan: Plan, stage: Stage): IdRules {
  const rules = new Map<string, IdRule>();
  for (const { id, reader, node } of plan.sources) {
    const { exactlyOnce, idHorizon, id: named } = node.source;
    if (reader !== 'messages' || !exactlyOnce || !stage.inputs.includes(id)) continue;
    rules.set(id, { horizon: idHorizon, by: named === undefined ? 'publishTime' : 'eventTime' });
  }
  return rules;
}
