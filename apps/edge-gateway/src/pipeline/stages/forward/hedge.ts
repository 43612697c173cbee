import { withTimeout } from '@gateway/observability';
import type { PipelineSettings } from '../../../request/settings.ts';
import { createAttempt, type Attempt } from '../../exchange/attempt.ts';
import { chooseAlternative, type Candidate } from './candidates.ts';
import { runAttempt, type AttemptOutcome, type AttemptServices, type ForwardTask } from './run-attempt.ts';

export type HedgeServices = AttemptServices & { readonly settings: Pick<PipelineSettings, 'hedgeAfterMs'> };

/** One of two hedged attempts. Each hedged attempt can be cancelled separately. */
interface Hedge {
  readonly candidate: Candidate;
  readonly attempt: Attempt;
  readonly abort: AbortController;
  readonly outcome: Promise<AttemptOutcome>;
}

/**
 * Returns whether a second provider call may run in parallel with the first. A parallel call is made only if
 * the request has no side effects and the gateway has not called a provider yet.
 */
export function mayHedge({ isHedgeable, exchange }: ForwardTask, { settings }: HedgeServices): boolean {
  return settings.hedgeAfterMs > 0 && isHedgeable === true && exchange.attempts.calls === 0;
}

/**
 * Runs one attempt. If the provider does not respond in time, the function runs a second attempt with another ready
 * candidate. The second attempt is counted against the retry budget. The client receives the first successful
 * response. The function cancels the slower attempt and records the possible cost of the cancelled call.
 */
export async function runHedged(
  task: ForwardTask,
  candidate: Candidate,
  services: HedgeServices,
): Promise<AttemptOutcome> {
  const { attempts } = task.exchange;
  const first = start(task, candidate, services);
  const isSlow = await isSlowerThan(first, services.settings.hedgeAfterMs);
  // The first call, which is still in flight, continues even if the search for a second candidate fails.
  const other = isSlow ? await chooseOther(task, first, services).catch(() => undefined) : undefined;
  if (other === undefined) return first.outcome.finally(() => (attempts.current = first.attempt));
  services.resilience.retries.inc({ kind: 'hedge' });
  const second = start(task, other, services);
  const chosen = await chooseGood(first, second);
  cancel(chosen === first ? second : first, task);
  attempts.current = chosen.attempt;
  return chosen.outcome;
}

function start(task: ForwardTask, candidate: Candidate, services: HedgeServices): Hedge {
  const { signal } = task.exchange.abort;
  const abort = new AbortController();
  if (signal.aborted) abort.abort(signal.reason);
  else signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  const attempt = createAttempt(candidate.target);
  const outcome = runAttempt(task, candidate, attempt, abort.signal, services);
  // The empty handler prevents an unhandled rejection until the caller awaits the outcome.
  outcome.catch(() => undefined);
  return { candidate, attempt, abort, outcome };
}

function isSlowerThan({ outcome }: Hedge, ms: number): Promise<boolean> {
  const over = () => false;
  return withTimeout(outcome.then(over, over), ms, true);
}

/** Chooses a ready candidate at another backend if the retry budget allows another call. */
async function chooseOther(
  { target, exchange, caller }: ForwardTask,
  { candidate }: Hedge,
  services: HedgeServices,
): Promise<Candidate | undefined> {
  const other = await chooseAlternative(candidate, target, caller, exchange.attempts, services);
  if (other === undefined || other.connection.backend.state() !== 'ready') return undefined;
  if (exchange.abort.signal.aborted || !services.retryBudget.takeExtra(caller.accountId)) return undefined;
  return other;
}

/** Returns the attempt with the earlier successful response. If both attempts fail, returns `first`. */
function chooseGood(first: Hedge, second: Hedge): Promise<Hedge> {
  return new Promise((resolve) => {
    let open = 2;
    const settle = (hedge: Hedge, isGood: boolean): void => {
      open -= 1;
      if (isGood) resolve(hedge);
      else if (open === 0) resolve(first);
    };
    for (const each of [first, second]) {
      each.outcome.then(
        ({ failure }) => settle(each, failure === undefined),
        () => settle(each, false),
      );
    }
  });
}

/** Cancels a provider call. The provider may still bill the input that it has already read. */
function cancel({ candidate: { target }, attempt, abort, outcome }: Hedge, { exchange }: ForwardTask): void {
  const { failed, abandoned } = exchange.attempts;
  const hasFailed = failed.some(
    ({ backend, model }) => backend.name.provider === target.provider.name && model === target.model,
  );
  if (!hasFailed) {
    abandoned.push({ provider: target.provider.name, model: target.model, bytes: attempt.bodyBytes });
  }
  abort.abort();
  attempt.span?.setAttribute('gateway.call.abandoned', true);
  attempt.span?.end();
  outcome.then(
    ({ answer }) => answer?.body.discard(),
    () => undefined,
  );
}
