import { toGatewayError } from '@gateway/errors';
import type { Exchange } from './exchange.ts';
import type { RelayOutcome } from './relay-outcome.ts';
import type { PipelineServices } from './services.ts';
import { authenticate } from './stages/authenticate/authenticate.ts';
import { choose } from './stages/choose/choose.ts';
import { forward } from './stages/forward/forward.ts';
import { limit } from './stages/limit/limit.ts';
import { parse } from './stages/parse/parse.ts';
import { plan } from './stages/plan/plan.ts';
import { record } from './stages/record/record.ts';
import { relay } from './stages/relay/relay.ts';
import { relayError } from './stages/relay/relay-error.ts';
import { validate } from './stages/validate/validate.ts';

/**
 * The story of a chat request. Each line is a folder under `stages/`, and the order is a chain of needs:
 *
 * - nothing is read of the body before the key is known and has room (authenticate, limit);
 * - a request is on disk before anything is forwarded (record.accept), so that no death loses it;
 * - model and provider come before the plan, since prices and rules depend on them (choose);
 * - planning may shrink what goes out and never fails a request (plan, validate);
 * - after the first byte to the client there is one ending, and it is recorded (relay, record).
 *
 * Never throws: every outcome, our own defects included, is an answer to the client and a line in the log.
 */
export async function handleRequest(exchange: Exchange, services: PipelineServices): Promise<void> {
  const recording = record(exchange, services);
  let outcome: RelayOutcome;
  try {
    const known = await authenticate(exchange, services);
    const caller = await limit(exchange, known, services);
    recording.accept(caller);
    const request = await parse(exchange, services);
    const target = await choose(request, exchange, caller, services);
    const planned = await plan(request, target, exchange, caller, services);
    const outbound = validate(request, target, planned, exchange, services);
    await recording.accepted();
    const answer = await forward(outbound, target, exchange, caller, services);
    outcome = await relay(answer, target, exchange, services);
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  recording.finish(outcome);
}
