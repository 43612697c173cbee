import { toGatewayError } from '@gateway/errors';
import { renderTokenCount } from '@gateway/wire-formats';
import { estimateTokens } from '../request/token-estimates.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Outbound } from './exchange/tool-plan.ts';
import type { RelayOutcome } from './exchange/answer.ts';
import type { PipelineServices } from './services.ts';
import { authenticate } from './stages/authenticate/authenticate.ts';
import { choose } from './stages/choose/choose.ts';
import { forward } from './stages/forward/forward.ts';
import { limit } from './stages/limit/limit.ts';
import { parse } from './stages/parse/parse.ts';
import { planCount } from './stages/plan/plan.ts';
import { endProviderCall } from './stages/record/record.ts';
import { relay, relayCount } from './stages/relay/relay.ts';
import { relayError } from './stages/relay/relay-errors.ts';
import { validate } from './stages/validate/validate.ts';
import type { Target } from '../request/request.ts';
import { restrictTools } from './restrict-tools.ts';

/**
 * Handles a token-counting request. A token-counting request runs through the steps of a chat request, but is not
 * logged, because no model runs. The gateway makes no new plan for a token-counting request. If the conversation has
 * bound reasoning, its stored plan also applies to the token-counting request. The API key's tool lists apply to a
 * token-counting request, too. A provider that uses the client's format counts the tokens. For a provider with a
 * different format, the gateway estimates the count and marks the response as an estimate.
 */
export async function countTokens(exchange: Exchange, services: PipelineServices): Promise<void> {
  let outcome = answered;
  try {
    const known = await authenticate(exchange, services);
    const turn = services.admission.enter(known.accountId, exchange);
    if (turn) await turn;
    const caller = await limit(exchange, known, services);
    const request = restrictTools(await parse(exchange, services), exchange, caller);
    const target = await choose(request, exchange, caller, services);
    const counting = countingAt(target);
    if (counting === undefined) {
      answerEstimate(estimateTokens(request.tape), exchange);
    } else {
      const planned = await planCount(request, target, exchange, caller, services);
      const outbound: Outbound = validate(request, target, planned, exchange, caller, services);
      const answer = await forward(outbound, counting, exchange, caller, services);
      if (answer.status === 200) await relayCount(answer, exchange);
      else outcome = (await relay(answer, target, exchange, services, null)) ?? outcome;
    }
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  endProviderCall(exchange, outcome);
  services.admission.leave(exchange);
  services.metrics.requests.inc({ endpoint: exchange.endpoint, status: outcome.status });
}

const answered: RelayOutcome = {
  status: 'ok',
  httpStatus: 200,
  errorCode: null,
  errorMessage: null,
  errorDetail: null,
  providerRequestId: null,
  summary: null,
};

/** The provider's endpoint for token counting, if the provider uses the client's format. */
function countingAt(target: Target): Target | undefined {
  const { lane, provider } = target;
  const chatPath = provider.chatPaths[lane.format];
  if (lane.kind !== 'same-format' || chatPath === undefined) return undefined;
  // Token-counting requests have no fallbacks.
  // The provider of a fallback may use a different path for token counting, or may not support token counting.
  return { ...target, path: `${chatPath}/count_tokens`, alternatives: () => [] };
}

function answerEstimate(tokens: number, { headers, response }: Exchange): void {
  const body = JSON.stringify(renderTokenCount(tokens));
  response.writeHead(200, {
    ...headers,
    'x-svc-estimated': 'true',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}
