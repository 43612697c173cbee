import type { ChatMessage } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import { genAi, openSpan, SpanKind, type Span } from '@gateway/observability';
import { renderUpstreamRequest, signUpstreamRequest, type UpstreamCall } from '@gateway/providers';
import type { Upstream, UpstreamReply } from '../../../upstream/upstream.port.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Target } from '../../../request/request.ts';
import type { Candidate } from './candidates.ts';
import { translateRequest, type Translated } from './translate-request.ts';

/** What goes out, in the client's format. */
interface Said {
  readonly bytes: Uint8Array;
  readonly added: readonly ChatMessage[];
}

export interface CallServices {
  readonly upstream: Upstream;
  readonly catalog: ModelCatalog;
}

/**
 * One call of a provider, with the credential that was saved for it. Resolves when its status and headers are in.
 * @param bytes the request in the client's format, as it goes out to this target
 * @param added turns behind its last message, which a translated request is yet to get
 */
export async function callProvider(
  said: Said,
  { target, connection }: Candidate,
  exchange: Exchange,
  signal: AbortSignal,
  services: CallServices,
): Promise<UpstreamReply> {
  const { body, apiVersion } = renderBody(said, target, exchange, services.catalog);
  const call: UpstreamCall = {
    provider: target.provider,
    format: target.lane.format,
    baseUrl: connection.baseUrl,
    model: target.model,
    credential: connection.credential,
    stream: exchange.ledger.stream,
    // What a client says in headers of its own format means nothing, or something else, in another.
    ...(target.lane.kind === 'translated' ? {} : { clientHeaders: exchange.request.headers }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(target.path === undefined ? {} : { path: target.path }),
  };
  const request = await signUpstreamRequest(call, renderUpstreamRequest(call), { method: 'POST', body });
  exchange.outboundBytes = body.length;
  noteCall(exchange);
  exchange.providerCall = openProviderSpan(target);
  const answer = await services.upstream.send({ ...request, body, signal });
  exchange.timings.upstreamHeadersAt = performance.now();
  connection.health.note(answer.status);
  return answer;
}

/** The gateway's own time ends with the first call; a provider that has to be called again adds to the provider's. */
export function noteCall({ timings, headers, tries }: Exchange): void {
  const now = performance.now();
  tries.calls += 1;
  if (timings.forwardedAt !== undefined) {
    timings.calledAgainAt = now;
    headers['x-svc-attempts'] = String(tries.calls);
    return;
  }
  timings.forwardedAt = now;
  headers['x-svc-overhead-ms'] = (now - timings.startedAt).toFixed(2);
}

function openProviderSpan({ provider, model }: Target): Span {
  const attributes = {
    [genAi.operationName]: 'chat',
    [genAi.providerName]: provider.name,
    [genAi.requestModel]: model,
  };
  return openSpan(`chat ${model}`, attributes, SpanKind.CLIENT);
}

function renderBody(
  { bytes, added }: Said,
  target: Target,
  exchange: Exchange,
  catalog: ModelCatalog,
): Pick<Translated, 'body' | 'apiVersion'> {
  if (target.lane.kind === 'same-format') return { body: bytes, apiVersion: undefined };
  exchange.ledger.lane = 'translated';
  return translateRequest(bytes, added, target, exchange, catalog);
}
