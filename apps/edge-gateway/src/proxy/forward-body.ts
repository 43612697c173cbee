import { Readable } from 'node:stream';
import { genAi, openSpan, SpanKind, type Span } from '@gateway/observability';
import { renderUpstreamRequest, type ProxyEndpoint } from '@gateway/providers';
import type { ChatAnswer } from '../pipeline/answer.ts';
import type { Caller } from '../pipeline/caller.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { noteCall } from '../pipeline/stages/forward/call-provider.ts';
import type { Candidate } from '../pipeline/stages/forward/candidates.ts';
import { tryCandidates } from '../pipeline/stages/forward/try-candidates.ts';
import type { HeldBody } from './held-body.ts';
import type { ModelScanner } from './model-place.ts';
import type { ProxyTarget } from './proxy-target.ts';

interface Outgoing {
  readonly body: HeldBody;
  readonly scanner: ModelScanner;
  readonly target: ProxyTarget;
  readonly endpoint: ProxyEndpoint;
}

/**
 * Sends a body on as it comes, under the credential saved for its provider. Resolves when status and headers are in. What
 * was streamed through can be sent only once; a body that is held whole is sent again when a call fails.
 */
export function forwardBody(
  outgoing: Outgoing,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<ChatAnswer> {
  const lane = { kind: 'same-format', format: 'chat-completions' } as const;
  const target = { ...outgoing.target, lane, ownCredential: null };
  const isRepeatable = outgoing.body.isWhole;
  return tryCandidates(
    {
      ...{ target, exchange, caller, isRepeatable },
      call: (candidate, signal) => sendBody(outgoing, candidate, exchange, signal, services),
    },
    services,
  );
}

async function sendBody(
  { body, scanner, target, endpoint }: Outgoing,
  { connection }: Candidate,
  exchange: Exchange,
  signal: AbortSignal,
  services: PipelineServices,
) {
  const { provider, model } = target;
  const modelBytes = scanner.renderModel(model);
  const { url, headers } = renderUpstreamRequest({
    provider,
    format: 'chat-completions',
    baseUrl: connection.baseUrl,
    model,
    credential: connection.credential,
    stream: false,
    path: target.path,
    clientHeaders: exchange.request.headers,
  });
  const length = body.lengthWith(modelBytes);
  noteCall(exchange);
  exchange.providerCall = openProxySpan(endpoint, target);
  const answer = await services.upstream.send({
    url,
    headers: {
      ...headers,
      'content-type': exchange.request.headers['content-type'] ?? 'application/json',
      accept: exchange.request.headers.accept ?? '*/*',
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    },
    body: Readable.from(body.read(modelBytes), { objectMode: false }),
    signal,
  });
  exchange.timings.upstreamHeadersAt = performance.now();
  connection.health.note(answer.status);
  return answer;
}

function openProxySpan(endpoint: ProxyEndpoint, { provider, model }: ProxyTarget): Span {
  const attributes = {
    [genAi.operationName]: endpoint,
    [genAi.providerName]: provider.name,
    [genAi.requestModel]: model,
  };
  return openSpan(`${endpoint} ${model}`, attributes, SpanKind.CLIENT);
}
