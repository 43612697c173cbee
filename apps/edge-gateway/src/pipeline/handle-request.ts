import { toGatewayError } from '@gateway/errors';
import type { Exchange } from './exchange/exchange.ts';
import type { RelayOutcome } from './exchange/answer.ts';
import type { PipelineServices } from './services.ts';
import { rememberRounds, openRounds } from './open-recovery-rounds.ts';
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

/**
 * The story of a chat request. Each line is a folder under `stages/`. The order has these reasons:
 *
 * - The body is buffered only after the key is known and within its rate limit (authenticate, limit). A body that arrived
 *   with the head is parsed while the request is counted.
 * - Requests beyond the gateway's capacity are rejected before any other work (admission).
 * - A request is on disk before anything is forwarded (record.accept), so no crash loses it.
 * - Model and provider come before the plan, because prices and rules depend on them (choose).
 * - Planning may shrink the upstream request and never fails a request (plan, validate).
 * - A response that breaks before its first byte is requested again (forward, relay).
 * - The gateway answers calls of its recovery tool itself, round by round, and never shows them (relay, forward).
 * - After the first byte to the client there is one ending, and it is recorded (relay, record).
 *
 * Never throws: every outcome, defects of the gateway included, is a response to the client and a line in the log.
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
    const request = await (parsing ?? parse(exchange, services));
    exchange.contents?.read(request);
    const target = await choose(request, exchange, caller, services);
    const planned = await plan(request, target, exchange, caller, services);
    const outbound = validate(request, target, planned, exchange, services);
    await recording.accepted();
    do {
      const answer = await forward(outbound, target, exchange, caller, services);
      const rounds = openRounds(outbound, answer, exchange, caller, services);
      outcome = await relay(answer, answer.target, exchange, services, rounds).catch(answer.giveUp);
      if (rounds !== null) void rememberRounds(outbound, rounds, services.conversations);
    } while (outcome === undefined);
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  recording.finish(outcome);
  services.admission.leave(exchange);
}
