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
 * The story of a chat request. Each line is a folder under `stages/`, and the order is a chain of needs:
 *
 * - nothing is held of the body before the key is known and has room (authenticate, limit); what came with the head is
 *   parsed while the request is counted;
 * - a request is on disk before anything is forwarded (record.accept), so that no death loses it;
 * - model and provider come before the plan, since prices and rules depend on them (choose);
 * - planning may shrink what goes out and never fails a request (plan, validate);
 * - whoever comes when there are too many is turned away before anything else is done (admission);
 * - an answer that breaks before its first byte went to the client is asked for again (forward, relay);
 * - what the model asks of the gateway's own tool is answered here, round by round (relay, forward), and never shown;
 * - after the first byte to the client there is one ending, and it is recorded (relay, record).
 *
 * Never throws: every outcome, our own defects included, is an answer to the client and a line in the log.
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
      if (rounds !== null) void rememberRounds(outbound, rounds, services.sessions);
    } while (outcome === undefined);
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  recording.finish(outcome);
  services.admission.leave(exchange);
}
