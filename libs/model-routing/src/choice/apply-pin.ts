import { expectCostUsd } from './estimates.ts';
import type { Candidate, RoutingChoice, RoutingQuestion } from './question.ts';

type Ranked = Pick<RoutingChoice, 'candidates' | 'reason'>;

/** A session is taken to go on for as long as it has lasted, within these bounds. */
const turnsAheadMax = 20;
/** A saving that is less of the cost than this is within what estimates are off by. */
const savingShareMin = 0.2;

/**
 * A session stays with its model, unless another one saves more than the cache that is lost there. Where the model cannot serve
 * this request, or is allowed no more, the choice is made anew.
 */
export function applyPin({ candidates, reason }: Ranked, question: RoutingQuestion): Ranked {
  const { pin, mode } = question;
  const pinned = candidates.find(({ id }) => id === pin?.id);
  const [best] = candidates;
  if (pin === null || pinned === undefined || best === undefined) return { candidates, reason };
  if (pin.isBound) return { candidates: [pinned], reason: 'bound_thinking' };
  const seeksSaving = mode === 'cheap' || mode === 'auto';
  if (best !== pinned && seeksSaving && paysToMove(pinned, best, question)) {
    return { candidates, reason: 'session_moved' };
  }
  return { candidates: [pinned, ...candidates.filter((each) => each !== pinned)], reason: 'session' };
}

/** This turn and those ahead: the one goes on reading from its cache, the other has to fill one first. */
function paysToMove(pinned: Candidate, best: Candidate, { pin, needs }: RoutingQuestion): boolean {
  const turnsAhead = Math.min(turnsAheadMax, Math.max(1, pin?.turns ?? 1));
  const warm = (candidate: Candidate): number | null =>
    expectCostUsd(candidate.model, needs, needs.inputTokens);
  const [stay, stayAhead, move, moveAhead] = [pinned.costUsd, warm(pinned), best.costUsd, warm(best)];
  if (stay === null || stayAhead === null || move === null || moveAhead === null) return false;
  const staying = stay + turnsAhead * stayAhead;
  return staying - (move + turnsAhead * moveAhead) > savingShareMin * staying;
}
