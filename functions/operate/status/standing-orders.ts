/** What operators have ordered, how far it has come, and what goes on from there: for `status` and `doctor`. */
import { describeInstant } from '../../model/time.ts';
import { describeProgress, drainProgress } from '../drain.ts';
import { HALF } from '../pause.ts';
import { isUntouched } from '../untouched.ts';
import type { Survey } from './survey.ts';

export interface StandingOrder {
  readonly severity: 'warning' | 'error';
  readonly sentence: string;
  /** What to type, the first choice first. */
  readonly remedies: readonly string[];
}

const MINUTE = 60_000;

export function pausesOf(survey: Survey): StandingOrder[] {
  const { paused, now, shape, drain } = survey;
  return Object.entries(paused).map(([stage, { since, step }]): StandingOrder => {
    const [resume, pause] = [`millrace resume ${stage}`, `millrace pause ${stage}`];
    const when = `since ${describeInstant(since)} (${Math.round((now - since) / MINUTE)} minutes)`;
    if (!shape.stages.some(({ id }) => id === stage))
      return {
        severity: 'warning',
        sentence: `'${stage}' was paused ${when}, and there is no such stage any more`,
        remedies: [`${resume}, which forgets it`],
      };
    if (step !== undefined)
      return {
        severity: 'error',
        sentence: `'${stage}' is ${HALF[step]} ${when}: a command is under way or broke off, and some of its slots may get messages, others not`,
        remedies: step === 'pausing' ? [`${pause}, again`, resume] : [`${resume}, again`, pause],
      };
    const waits = drain === undefined ? '' : ', and the drain waits for it';
    return {
      severity: 'warning',
      sentence: `'${stage}' is paused ${when}${waits}; Pub/Sub keeps what waits for days only`,
      remedies: [resume],
    };
  });
}

export function drainOf(survey: Survey): StandingOrder[] {
  const { pipeline, drain, topology, shape } = survey;
  if (topology?.startingAfresh)
    return [
      {
        severity: 'error',
        sentence: `a fresh start of '${pipeline}', as epoch ${topology.epoch}, has begun and is not through: what runs takes nothing`,
        remedies: ['deploy it again, which goes on with it', 'millrace restart, before a deployment by other means'],
      },
    ];
  if (drain === undefined) return [];
  const progress = drainProgress(survey);
  const since = `since ${describeInstant(drain.since)}`;
  if (isUntouched(survey))
    return [
      {
        severity: 'warning',
        sentence: `'${pipeline}' is to drain ${since}, and nothing of it has run since it was admitted: there is nothing to drain`,
        remedies: ['deploy it again, which starts it afresh'],
      },
    ];
  if (progress.drained)
    return [
      {
        severity: 'warning',
        sentence: `'${pipeline}' is drained, and reads no more ${since}`,
        remedies: ['deploy it again, which starts it afresh', `millrace destroy ${pipeline}, which removes it`],
      },
    ];
  const closing =
    drain.closingEnds === undefined
      ? `its windows close from ${describeInstant(drain.readingEnds)} on`
      : `its windows close by the clock, at the latest at ${describeInstant(drain.closingEnds)}`;
  return [
    {
      severity: 'warning',
      sentence: `'${pipeline}' drains, and reads no more ${since}; ${closing}: ${describeProgress(progress)}`,
      remedies: [
        'millrace drain, which says when it is through; nothing is deployed before',
        `millrace why ${progress.open[0] ?? shape.stages[0]?.id}`,
      ],
    },
  ];
}
