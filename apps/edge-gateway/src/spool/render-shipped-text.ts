import type { RequestEventV1 } from '@gateway/contracts';

type Plan = NonNullable<RequestEventV1['plan']>;
type Candidate = Plan['candidates'][number];

/** Names of tools come again with every request of an agent: so many are remembered as a tuple begins with them. */
const headsMax = 20_000;
const heads = new Map<string, string>();

const scoreSteps = 10_000;
/** Scores from 0 to 1, in their steps, as JSON has them; made as they come. */
const scores: string[] = [];

/** As many ranks as a list may hold tools. */
const ranksMax = 4_096;
/** How tuples end, by rank, those that are not forwarded first; made as they come. */
const tails: string[] = [];

/**
 * An event as it is shipped (`renderShippedEvent`), as JSON text. A hundred candidates are most of an event, and
 * `JSON.stringify` takes three times as long for them as putting together texts that are known.
 */
export function renderShippedText(event: RequestEventV1): string {
  const { plan } = event;
  // An event without candidates is shipped as it is.
  if (plan === null || plan.candidates.length === 0) return JSON.stringify(event);
  const rest = JSON.stringify({ ...event, plan: undefined });
  return `${rest.slice(0, -1)},"plan":${renderPlan(plan)}}`;
}

function renderPlan(plan: Plan): string {
  const rest = JSON.stringify({ ...plan, candidates: undefined });
  let tuples = '';
  for (const candidate of plan.candidates)
    tuples += renderHead(candidate.name) + renderScore(candidate.score) + renderTail(candidate);
  return `${rest.slice(0, -1)},"candidates":[${tuples.slice(0, -1)}]}`;
}

function renderHead(name: string): string {
  const known = heads.get(name);
  if (known !== undefined) return known;
  if (heads.size >= headsMax) heads.clear();
  const head = `[${JSON.stringify(name)},`;
  heads.set(name, head);
  return head;
}

/** To four decimals. */
function renderScore(score: number): string {
  const steps = Math.round(score * scoreSteps);
  if (!(steps >= 0 && steps <= scoreSteps)) return JSON.stringify(steps / scoreSteps);
  return (scores[steps] ??= String(steps / scoreSteps));
}

/** Everything behind the score, and the comma before the next tuple. */
function renderTail({ rank, forwarded, alwaysIn }: Candidate): string {
  const flag = forwarded ? 1 : 0;
  if (alwaysIn !== null) return `,${rank},${flag},${JSON.stringify(alwaysIn)}],`;
  if (!(rank >= 0 && rank <= ranksMax)) return `,${rank},${flag}],`;
  return (tails[rank * 2 + flag] ??= `,${rank},${flag}],`);
}
