import type { CatalogModel } from '@gateway/model-catalog';
import type { ComplexityLevel } from '../complexity/complexity-model.ts';
import { chooseLevel } from '../complexity/complexity-model.ts';
import { createRules } from './exclude.ts';
import { expectCostUsd, expectLatencyMs } from './estimates.ts';
import type {
  Candidate,
  ChoiceReason,
  Excluded,
  ListedModel,
  RoutingChoice,
  RoutingQuestion,
} from './question.ts';

/** In the mode `fast`, the share of requests that are sent to a model with few observations. */
export const explorationShare = 0.05;
/** A model with at most this number of observations, weighted by age, counts as a model with few observations. */
const knownWeight = 5;
/** Assumed tool recall of a model without observations. The assumption counts as much as `weight` requests. */
const recallPrior = { recall: 0.95, weight: 20 } as const;

/**
 * Chooses the model for a request that leaves the choice to the gateway. The function is pure, so the same
 * question always results in the same choice. Candidates with the same score are sorted by price, then by
 * quality, then by name.
 */
export function chooseModel(question: RoutingQuestion): RoutingChoice {
  const { models, mode, pin } = question;
  const level =
    mode === 'auto' && pin !== null ? pin.level : chooseLevel(question.complexity, question.thresholds);
  const excluded: Excluded[] = [];
  const able: Candidate[] = [];
  const ruleOf = createRules(question);
  // The required quality depends on all models that the account allows, not on the needs of one request.
  // Additional needs of a request never lead to a model of lower quality.
  const allowed: number[] = [];
  for (const listed of models) {
    const rule = ruleOf(listed);
    if (rule === undefined || dependsOnRequest(rule)) allowed.push(listed.quality);
    if (rule === undefined) able.push(rate(listed, question));
    else excluded.push({ id: listed.id, rule });
  }
  if (able.length === 0) return { candidates: [], reason: null, level, excluded };
  const order = orderOf(question, level, allowed);
  const ordered = able.toSorted(order.compare);
  const ranked = order.explores ? explore(ordered, question) : { candidates: ordered, reason: order.reason };
  const settled = applyPin(ranked, question);
  return { ...settled, level, excluded };
}

/** Exclusion rules that depend on the request but not on the account. */
const requestRules: ReadonlySet<string> = new Set<Excluded['rule']>([
  ...(['no_tools', 'no_images', 'no_documents', 'no_json_mode', 'no_streaming', 'no_thinking'] as const),
  ...(['context_too_short', 'output_too_short', 'session_bound'] as const),
]);
const dependsOnRequest = (rule: Excluded['rule']): boolean => requestRules.has(rule);

function rate({ model, id, quality }: ListedModel, question: RoutingQuestion): Candidate {
  const { pin } = question;
  const costUsd = expectCostUsd(model, question.needs, pin?.id === id ? pin.cachedTokens : 0, question.now);
  return { model, id, quality, costUsd, score: scoreOf(model, id, quality, costUsd, question) };
}

function scoreOf(
  model: CatalogModel,
  id: string,
  quality: number,
  costUsd: number | null,
  question: RoutingQuestion,
): number {
  if (question.mode === 'fast') return expectLatencyMs(model, question.latency(id));
  if (question.mode === 'capable') return quality * recallOf(id, question);
  return costUsd ?? Infinity;
}

/** Observed tool recall combined with a prior. Tool recall is used only for requests with tools. */
function recallOf(id: string, { needs, recall }: RoutingQuestion): number {
  if (!needs.tools) return 1;
  const { judged, recalled } = recall(id) ?? { judged: 0, recalled: 0 };
  return (recalled + recallPrior.recall * recallPrior.weight) / (judged + recallPrior.weight);
}

interface Order {
  readonly compare: (one: Candidate, other: Candidate) => number;
  readonly reason: ChoiceReason;
  readonly explores?: boolean;
}

function orderOf({ mode }: RoutingQuestion, level: ComplexityLevel, allowed: readonly number[]): Order {
  if (mode === 'cheap') return { compare: byTies, reason: 'cheapest' };
  if (mode === 'fast') {
    return {
      compare: (one, other) => one.score - other.score || byTies(one, other),
      reason: 'fastest',
      explores: true,
    };
  }
  if (mode === 'capable') {
    return { compare: (one, other) => other.score - one.score || byTies(one, other), reason: 'most_capable' };
  }
  const required = requiredQuality(level, allowed);
  return { compare: (one, other) => compareFor(required, one, other), reason: `complexity_${level}` };
}

/** The required quality, as a share of the quality range from the worst to the best allowed model. */
const requiredShare: Readonly<Record<ComplexityLevel, number>> = { low: 0, medium: 0.5, high: 0.9 };

function requiredQuality(level: ComplexityLevel, allowed: readonly number[]): number {
  let [worst, best] = [1, 0];
  for (const quality of allowed) {
    worst = Math.min(worst, quality);
    best = Math.max(best, quality);
  }
  return worst + (best - worst) * requiredShare[level];
}

/**
 * Sorts the models by quality and price. Models with sufficient quality come first, sorted by price. Models
 * with insufficient quality come last, sorted by quality.
 */
function compareFor(required: number, one: Candidate, other: Candidate): number {
  const [isGood, isOtherGood] = [one.quality >= required, other.quality >= required];
  if (isGood !== isOtherGood) return isGood ? -1 : 1;
  return isGood ? byTies(one, other) : other.quality - one.quality || byTies(one, other);
}

function byTies(one: Candidate, other: Candidate): number {
  const [cost, otherCost] = [one.costUsd ?? Infinity, other.costUsd ?? Infinity];
  if (cost !== otherCost) return cost < otherCost ? -1 : 1;
  if (one.quality !== other.quality) return other.quality - one.quality;
  return one.id < other.id ? -1 : 1;
}

/**
 * For a small share of requests, moves the model with the fewest observations to the front. The order does
 * not change if the conversation already uses a model.
 */
function explore(
  ordered: readonly Candidate[],
  { chance, latency, pin }: RoutingQuestion,
): Pick<RoutingChoice, 'candidates' | 'reason'> {
  const weightOf = ({ id }: Candidate): number => latency(id)?.weight ?? 0;
  if (pin !== null || chance >= explorationShare) return { candidates: ordered, reason: 'fastest' };
  const unknown = ordered.slice(1).filter((candidate) => weightOf(candidate) < knownWeight);
  const [first] = unknown.toSorted((one, other) => weightOf(one) - weightOf(other));
  if (first === undefined) return { candidates: ordered, reason: 'fastest' };
  return { candidates: [first, ...ordered.filter((each) => each !== first)], reason: 'explored' };
}

type Ranked = Pick<RoutingChoice, 'candidates' | 'reason'>;

/** Maximum number of further turns. The expected number of further turns is the number of turns so far. */
const turnsAheadMax = 20;
/**
 * Minimum savings for switching models, as a share of the cost. Smaller savings are within the estimation error.
 */
const savingShareMin = 0.2;

/**
 * Keeps a conversation on its model unless switching to another model saves more than the lost prompt cache
 * costs. If the current model cannot serve the request or is no longer allowed, the ranking does not change.
 */
function applyPin({ candidates, reason }: Ranked, question: RoutingQuestion): Ranked {
  const { pin, mode } = question;
  const pinned = candidates.find(({ id }) => id === pin?.id);
  const [best] = candidates;
  if (pin === null || pinned === undefined || best === undefined) return { candidates, reason };
  if (pin.isBound) return { candidates: [pinned], reason: 'bound_thinking' };
  const seeksSaving = mode === 'cheap' || mode === 'auto';
  if (best !== pinned && seeksSaving && isMoveCheaper(pinned, best, question)) {
    return { candidates, reason: 'session_moved' };
  }
  return { candidates: [pinned, ...candidates.filter((each) => each !== pinned)], reason: 'session' };
}

/**
 * Compares the costs of the current turn and of the expected future turns. In the current turn, only the
 * current model can have a cached prefix. For later turns, both models are assumed to have a cached prefix.
 */
function isMoveCheaper(pinned: Candidate, best: Candidate, { pin, needs, now }: RoutingQuestion): boolean {
  const turnsAhead = Math.min(turnsAheadMax, Math.max(1, pin?.turns ?? 1));
  const warm = (candidate: Candidate): number | null =>
    expectCostUsd(candidate.model, needs, needs.inputTokens, now);
  const [stay, stayAhead, move, moveAhead] = [pinned.costUsd, warm(pinned), best.costUsd, warm(best)];
  if (stay === null || stayAhead === null || move === null || moveAhead === null) return false;
  const staying = stay + turnsAhead * stayAhead;
  return staying - (move + turnsAhead * moveAhead) > savingShareMin * staying;
}
