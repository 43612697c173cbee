import { GatewayError } from '@gateway/errors';
import { recordFailure } from '@gateway/observability';
import type { ChatAnswer } from '../../exchange/answer.ts';
import { createAttempt } from '../../exchange/attempt.ts';
import { callFirst, chooseAfterFailure, type Candidate } from './candidates.ts';
import { mayHedge, runHedged, type HedgeServices } from './hedge.ts';
import { runAttempt, type AttemptOutcome, type ForwardTask } from './run-attempt.ts';

export type TryServices = HedgeServices;

/**
 * Runs attempts until one attempt has a response for the client. After a failed attempt, the function tries another
 * credential. If no other credential is left, the function tries a fallback, and finally retries the failed
 * candidate. Retries stop when the retry budget is used up. If no further attempt is possible, the client receives
 * the last failure. If the caller abandons a response (`ChatAnswer.giveUp`), this function is called again and
 * continues with the next candidate. If no candidate is left after a broken response, the function throws the error
 * of the broken response.
 * @throws GatewayError `upstream_unavailable` if no candidate may be called now, or the error of the last
 * attempt if all attempts fail
 */
export async function tryCandidates(task: ForwardTask, services: TryServices): Promise<ChatAnswer> {
  let outcome = await runFirst(task, services);
  while (outcome.failure !== undefined) {
    const { failure, answer } = outcome;
    const next = await chooseNext(answer, task, services);
    if (next === undefined) {
      if (answer !== undefined) return answer;
      throw failure.error;
    }
    answer?.body.discard();
    outcome = await runNext(next, task, services);
  }
  return outcome.answer;
}

/** Runs the request's first attempt, or the next attempt after a broken response. */
async function runFirst(task: ForwardTask, services: TryServices): Promise<AttemptOutcome> {
  const { target, caller, exchange } = task;
  const { broken } = exchange.attempts;
  if (broken === null) {
    services.retryBudget.countRequest(caller.accountId);
    return callFirst(target, caller, services, (candidate) => run(candidate, task, services));
  }
  exchange.attempts.broken = null;
  const next = await chooseNext(undefined, task, services);
  if (next === undefined) throw broken.error;
  return runNext(next, task, services);
}

/** Runs the attempt that follows a failed attempt, and ends the trace span of the failed attempt. */
function runNext(candidate: Candidate, task: ForwardTask, services: TryServices): Promise<AttemptOutcome> {
  const { span } = task.exchange.attempts.current ?? {};
  if (span !== undefined) recordFailure(span, new GatewayError('provider_error'));
  return run(candidate, task, services);
}

function run(candidate: Candidate, task: ForwardTask, services: TryServices): Promise<AttemptOutcome> {
  if (mayHedge(task, services)) return runHedged(task, candidate, services);
  const { attempts, abort } = task.exchange;
  const attempt = createAttempt(candidate.target);
  attempts.current = attempt;
  return runAttempt(task, candidate, attempt, abort.signal, services);
}

/**
 * Chooses the candidate for the next attempt. If no candidate can be chosen, for example because the vault is
 * unavailable, the client receives the error of the last attempt. Throws an error if the client has disconnected.
 */
async function chooseNext(
  answer: ChatAnswer | undefined,
  { isRepeatable, target, exchange, caller }: ForwardTask,
  services: TryServices,
): Promise<Candidate | undefined> {
  if (!isRepeatable) return undefined;
  try {
    return await chooseAfterFailure(target, exchange, caller, services);
  } catch {
    const { signal } = exchange.abort;
    if (signal.aborted) answer?.body.discard();
    signal.throwIfAborted();
    return undefined;
  }
}
