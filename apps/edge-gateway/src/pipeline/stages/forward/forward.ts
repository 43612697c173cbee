import type { ModelCatalog } from '@gateway/model-catalog';
import { renderUpstreamRequest, signUpstreamRequest, type UpstreamCall } from '@gateway/providers';
import { genAi, openSpan, SpanKind, type Span } from '@gateway/observability';
import type { Connections } from '../../../connections/connections.ts';
import { openConnection } from '../../../connections/open-connection.ts';
import type { Upstream } from '../../../upstream/upstream.ts';
import type { UpstreamAnswer } from '../../answer.ts';
import type { Caller } from '../../caller.ts';
import type { Exchange } from '../../exchange.ts';
import type { Outbound } from '../../outbound.ts';
import type { PipelineSettings } from '../../services.ts';
import type { Target } from '../../target.ts';
import { translateRequest, type Translated } from './translate-request.ts';

interface ForwardServices {
  readonly connections: Connections;
  readonly upstream: Upstream;
  readonly settings: PipelineSettings;
  readonly catalog: ModelCatalog;
}

/** Calls the provider with the credential that was saved for it. Resolves when its status and headers are in. */
export async function forward(
  outbound: Outbound,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: ForwardServices,
): Promise<UpstreamAnswer> {
  const connection = await openConnection(target, caller, services);
  const { body, apiVersion } = renderBody(outbound, target, exchange, services.catalog);
  const isTranslated = target.lane.kind === 'translated';
  const call: UpstreamCall = {
    provider: target.provider,
    format: target.lane.format,
    baseUrl: connection.baseUrl,
    model: target.model,
    credential: connection.credential,
    stream: exchange.ledger.stream,
    // What a client says in headers of its own format means nothing, or something else, in another.
    ...(isTranslated ? {} : { clientHeaders: exchange.request.headers }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(target.path === undefined ? {} : { path: target.path }),
  };
  const request = await signUpstreamRequest(call, renderUpstreamRequest(call), { method: 'POST', body });
  exchange.outboundBytes = body.length;
  exchange.timings.forwardedAt = performance.now();
  exchange.headers['x-svc-overhead-ms'] = (exchange.timings.forwardedAt - exchange.timings.startedAt).toFixed(
    2,
  );
  exchange.providerCall = openProviderSpan(target);
  const { signal } = exchange.abort;
  const answer = await services.upstream.send({ ...request, body, signal });
  exchange.timings.upstreamHeadersAt = performance.now();
  connection.health.note(answer.status);
  return { ...answer, secrets: connection.secrets };
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
  outbound: Outbound,
  target: Target,
  exchange: Exchange,
  catalog: ModelCatalog,
): Pick<Translated, 'body' | 'apiVersion'> {
  if (target.lane.kind === 'same-format') return { body: outbound.body, apiVersion: undefined };
  exchange.ledger.lane = 'translated';
  return translateRequest(outbound.body, target, exchange, catalog);
}
