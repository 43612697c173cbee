import { GatewayError } from '@gateway/errors';
import { recordFailure } from '@gateway/observability';
import { Attempt } from '../../../backends/attempt.ts';
import { failureOfError, failureOfStatus, type Failure } from '../../../backends/failure.ts';
import { renderHeaderText } from '../../../request/http-response.ts';
import type { ResilienceMetrics } from '../../../metrics/edge-metrics.ts';
import type { UpstreamReply } from '../../../upstream/upstream.port.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import { hasLeft, type Exchange } from '../../exchange/exchange.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import type { Target } from '../../../request/request.ts';
import type { FailedTry } from '../../exchange/tries.ts';
import { attemptHedged, mayHedge, type HedgeServices } from './attempt-hedged.ts';
import { callFirst, chooseBeside, type Candidate } from './candidates.ts';
import { chooseFurther } from './choose-further.ts';
import type { Made, Quest } from './quest.ts';

export type TryServices = HedgeServices & {
  readonly resilience: Pick<ResilienceMetrics, 'upstreamFailures'>;
  readonly settings: Pick<PipelineSettings, 'firstByteMsMax' | 'plainAnswerMsMax'>;
};

/**
 * Asks until there is an answer worth relaying. A call that fails is made again, under another credential, with an
 * alternative of the target, or once more, as long as the retry budget lasts; where that is no use, the failure is the answer.
 *
 * Called again after its answer was given up (`ChatAnswer.giveUp`), it goes on from there, and throws what broke that answer
 * if there is nobody left to ask.
 *
 * @throws GatewayError `upstream_unavailable` when nobody may be called now, and what the last call failed with
 */
export async function tryCandidates(quest: Quest, services: TryServices): Promise<ChatAnswer> {
  let made = await begin(quest, services);
  while (made.failure !== undefined) {
    const further = await chooseAfter(made.answer, quest, services);
    if (further === undefined) {
      if (made.answer !== undefined) return made.answer;
      throw made.failure.error;
    }
    discard(made.answer);
    made = await call(further, quest, services);
  }
  return made.answer;
}

async function begin(quest: Quest, services: TryServices): Promise<Made> {
  const { tries } = quest.exchange;
  const { broken } = tries;
  if (broken === null) {
    services.retryBudget.countRequest(quest.caller.accountId);
    return callFirst(quest.target, quest.caller, services, (candidate) => call(candidate, quest, services));
  }
  tries.broken = null;
  const further = await chooseAfter(undefined, quest, services);
  if (further === undefined) throw broken.error;
  return call(further, quest, services);
}

function call(candidate: Candidate, quest: Quest, services: TryServices): Promise<Made> {
  return mayHedge(quest, services)
    ? attemptHedged(quest, candidate, services, (each, at) => attempt(each, at, services))
    : attempt(quest, candidate, services);
}

/**
 * Who is asked next. That nobody can be found, as while the vault is away, takes nothing from what the client would get if
 * there were nobody; one that leaves meanwhile gets nothing.
 */
async function chooseAfter(
  answer: ChatAnswer | undefined,
  { isRepeatable, target, exchange, caller }: Quest,
  services: TryServices,
): Promise<Candidate | undefined> {
  if (!isRepeatable) return undefined;
  try {
    return await chooseFurther(target, exchange, caller, services);
  } catch {
    const { signal } = exchange.abort;
    if (signal.aborted) discard(answer);
    signal.throwIfAborted();
    return undefined;
  }
}

/** An alternative that this request cannot be said to, as the client wants it said: nothing is wrong with its backend. */
const unsuitable: Failure = { kind: 'invalid', isPassing: false, retryAfterMs: undefined };

/** One call. What fails for the request's own sake is thrown; what another call may mend is returned. */
async function attempt(quest: Quest, candidate: Candidate, services: TryServices): Promise<Made> {
  const { exchange } = quest;
  const { target, connection } = candidate;
  const { backend } = connection;
  if (exchange.tries.calls > 0 || target !== quest.target) noteTarget(target, exchange);
  const running = new Attempt({
    backend,
    parent: exchange.abort.signal,
    firstByteMs: firstByteMsOf(quest, services),
    isReplaceable: () => isReplaceable(candidate, quest, services),
    failures: services.resilience.upstreamFailures,
  });
  const note = (failure: Failure, error?: unknown): FailedTry => {
    const failed = { ...failure, backend, model: target.model, error };
    exchange.tries.failed.push(failed);
    return failed;
  };
  try {
    const got = await quest.call(candidate, exchange, running.signal);
    running.follow(got.body);
    const answer = openAnswer(got, candidate, running, exchange);
    const failure = failureOfStatus(got.status, got.headers);
    if (failure === undefined) return { failure, answer };
    running.fail(failure);
    return { failure: note(failure), answer };
  } catch (error) {
    running.end();
    const failure = failureOfError(error) ?? (target === quest.target ? undefined : unsuitable);
    if (failure === undefined || hasLeft(exchange)) throw error;
    if (failure !== unsuitable) running.fail(failure);
    return { failure: note(failure, error), answer: undefined };
  }
}

/** Whether there is somebody else to ask while a call is silent. Never rejects: who cannot be looked up is not there. */
async function isReplaceable(
  candidate: Candidate,
  { target, exchange: { tries }, caller }: Quest,
  services: TryServices,
): Promise<boolean> {
  const other = await chooseBeside(candidate, target, caller, tries, services).catch(() => undefined);
  return other !== undefined;
}

/** How long others wait for their turn: not at all where there are none. */
function firstByteMsOf({ target, exchange }: Quest, { settings }: TryServices): number | undefined {
  if (target.alternatives === undefined) return undefined;
  return exchange.ledger.stream ? settings.firstByteMsMax : settings.plainAnswerMsMax;
}

function openAnswer(
  got: UpstreamReply,
  { target, connection: { backend, secrets } }: Candidate,
  running: Attempt,
  exchange: Exchange,
): ChatAnswer {
  return {
    status: got.status,
    headers: got.headers,
    body: got.body,
    secrets,
    target,
    begun: () => running.begun(),
    ended: () => running.succeed(),
    giveUp: (error) => {
      const failure = failureOfError(error);
      if (failure === undefined || exchange.response.headersSent || hasLeft(exchange)) throw error;
      running.fail(failure);
      exchange.tries.broken = { ...failure, backend, model: target.model, error };
      exchange.tries.failed.push(exchange.tries.broken);
      return undefined;
    },
  };
}

/** Another one than was chosen answers, or the same once more: what was noted of the call before does not hold. */
function noteTarget({ provider, model, lane }: Target, exchange: Exchange): void {
  const { ledger, headers, providerCall } = exchange;
  if (providerCall !== undefined) recordFailure(providerCall, new GatewayError('provider_error'));
  if (ledger.provider === provider.name && ledger.model === model) return;
  ledger.provider = provider.name;
  ledger.model = model;
  ledger.losses = [];
  if (lane.kind === 'same-format') ledger.lane = 'edited';
  headers['x-svc-provider'] = provider.name;
  headers['x-svc-model'] = renderHeaderText(model);
  delete headers['x-svc-losses'];
}

/** What nobody will read. */
function discard(answer: ChatAnswer | undefined): void {
  answer?.body.discard();
}
