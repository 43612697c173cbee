import { expectCostUsd } from './estimates.ts';
import type { Candidate, RoutingChoice, RoutingQuestion } from './question.ts';

type Ranked = Pick<RoutingChoice, 'candidates' | 'reason'>;

/** A conversation is expected to continue for as many turns as it already has, up to this limit. */
const turnsAheadMax = 20;
/** Minimum savings as a share of the cost. Smaller savings are within the estimation error. */
const savingShareMin = 0.2;

/**
 * Keeps a conversation on its model unless another model saves more than the lost cache costs. If the current
 * model cannot serve this request or is no longer allowed, the ranking applies unchanged.
 */
export function applyPin({ candidates, reason }: Ranked, question: RoutingQuestion): Ranked {
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
 * Compares the costs of this turn and the expected future turns. In this turn, only the current model can
 * have a cached prefix. Later turns assume a warm cache on both models.
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
