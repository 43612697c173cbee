import { Readable } from 'node:stream';
import { genAi, openSpan, SpanKind, type Span } from '@gateway/observability';
import { renderUpstreamRequest, type ProxyEndpoint } from '@gateway/providers';
import { openConnection } from '../connections/open-connection.ts';
import type { UpstreamAnswer } from '../pipeline/answer.ts';
import type { Caller } from '../pipeline/caller.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { HeldBody } from './held-body.ts';
import type { ModelScanner } from './model-place.ts';
import type { ProxyTarget } from './proxy-target.ts';

interface Outgoing {
  readonly body: HeldBody;
  readonly scanner: ModelScanner;
  readonly target: ProxyTarget;
  readonly endpoint: ProxyEndpoint;
}

/** Sends a body on as it comes, under the credential saved for its provider. Resolves when status and headers are in. */
export async function forwardBody(
  { body, scanner, target, endpoint }: Outgoing,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<UpstreamAnswer> {
  const { provider, model } = target;
  const connection = await openConnection({ provider, ownCredential: null }, caller, services);
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
  exchange.timings.forwardedAt = performance.now();
  const overheadMs = exchange.timings.forwardedAt - exchange.timings.startedAt;
  exchange.headers['x-svc-overhead-ms'] = overheadMs.toFixed(2);
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
    signal: exchange.abort.signal,
  });
  exchange.timings.upstreamHeadersAt = performance.now();
  connection.health.note(answer.status);
  return { ...answer, secrets: connection.secrets };
}

function openProxySpan(endpoint: ProxyEndpoint, { provider, model }: ProxyTarget): Span {
  const attributes = {
    [genAi.operationName]: endpoint,
    [genAi.providerName]: provider.name,
    [genAi.requestModel]: model,
  };
  return openSpan(`${endpoint} ${model}`, attributes, SpanKind.CLIENT);
}
