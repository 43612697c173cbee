import { toGatewayError } from '@gateway/errors';
import type { Exchange } from './exchange/exchange.ts';
import type { RelayOutcome } from './exchange/answer.ts';
import type { PipelineServices } from './services.ts';
import { openRounds, rememberRounds, startAfresh } from './open-recovery-rounds.ts';
import { authenticate } from './stages/authenticate/authenticate.ts';
import { choose } from './stages/choose/choose.ts';
import { forward } from './stages/forward/forward.ts';
import { limit } from './stages/limit/limit.ts';
import { parse, parseAtHand } from './stages/parse/parse.ts';
import { plan } from './stages/plan/plan.ts';
import { record } from './stages/record/record.ts';
import { relay } from './stages/relay/relay.ts';
import { relayError } from './stages/relay/relay-errors.ts';
import { validate } from './stages/validate/validate.ts';
import { restrictTools } from './restrict-tools.ts';
import { letOthersRun } from '../admission/admission.ts';
import { isLarge } from '../request/request-facts.ts';

/**
 * Handles a chat request from start to finish. Each step of the pipeline is a folder under `stages/`. The order
 * of the steps in the pipeline matters.
 * - The request body is buffered only after the API key is known and within its rate limit (authenticate,
 * limit). A body that arrived together with its headers is parsed while the rate limit is checked.
 * - Admission rejects requests that exceed the gateway's capacity, before any other work starts.
 * - The request is written to disk before it is forwarded (record.accept), so a crash cannot lose the request.
 * - Tools that the API key's tool lists do not permit are removed before any other step reads the tools
 * (restrictTools).
 * - The model and provider are chosen before planning, because prices and rules depend on the model and the provider
 *   (choose).
 * - Planning may shrink the upstream request, but a planning error never makes the request fail (plan, validate).
 * - If a response breaks off before its first byte, the request is forwarded again (forward, relay).
 * - The gateway responds to calls to its recovery tool in recovery rounds, and the client never receives
 * these calls (relay, forward). If the recovery rounds end without a response, the client's own request is
 * sent with every tool (startAfresh).
 * - The gateway handles other requests between the steps of a large request.
 * - After the first byte of the response has been sent to the client, the request ends exactly once, and its end is
 * recorded (relay, record). The function never throws. Every outcome of a request, including a defect in the gateway,
 * leads to a response to the client and a log line.
 */
export async function handleRequest(exchange: Exchange, services: PipelineServices): Promise<void> {
  const recording = record(exchange, services);
  let outcome: RelayOutcome | undefined;
  try {
    const known = await authenticate(exchange, services);
    const turn = services.admission.enter(known.accountId, exchange);
    if (turn) await turn;
    const counting = limit(exchange, known, services);
    const parsing = parseAtHand(exchange, services);
    const caller = await counting;
    recording.accept(caller);
    const parsed = await (parsing ?? parse(exchange, services));
    exchange.contents?.read(parsed);
    const request = restrictTools(parsed, exchange, caller);
    if (isLarge(request.bytes)) await letOthersRun(exchange);
    const target = await choose(request, exchange, caller, services);
    if (isLarge(request.bytes)) await letOthersRun(exchange);
    const planned = await plan(request, target, exchange, caller, services);
    if (isLarge(request.bytes)) await letOthersRun(exchange);
    let outbound = validate(request, target, planned, exchange, caller, services);
    exchange.prompt = { request, edits: outbound.edits };
    if (isLarge(request.bytes)) await letOthersRun(exchange);
    await recording.accepted();
    do {
      const answer = await forward(outbound, target, exchange, caller, services);
      const rounds = openRounds(outbound, answer, exchange, caller, services);
      outcome = await relay(answer, answer.target, exchange, services, rounds).catch(answer.giveUp);
      if (rounds !== null) void rememberRounds(outbound, rounds, services.conversations);
      if (rounds?.startsAfresh === true) outbound = startAfresh(outbound, target, exchange);
    } while (outcome === undefined);
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  recording.finish(outcome);
  services.admission.leave(exchange);
}
