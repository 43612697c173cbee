import { GatewayError } from '@gateway/errors';
import type { ModelCatalog } from '@gateway/model-catalog';
import { renderUpstreamRequest } from '@gateway/providers';
import { genAi, openSpan, SpanKind } from '@gateway/observability';
import type { Connections, OpenedCredential } from '../../../connections/connections.ts';
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
  const request = renderUpstreamRequest({
    provider: target.provider,
    format: target.lane.format,
    baseUrl: connection.baseUrl,
    model: target.model,
    credential: connection.apiKey,
    stream: exchange.ledger.stream,
    // What a client says in headers of its own format means nothing, or something else, in another.
    ...(isTranslated ? {} : { clientHeaders: exchange.request.headers }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
  });
  exchange.outboundBytes = body.length;
  exchange.timings.forwardedAt = performance.now();
  exchange.headers['x-svc-overhead-ms'] = (exchange.timings.forwardedAt - exchange.timings.startedAt).toFixed(
    2,
  );
  exchange.providerCall = openSpan(
    `chat ${target.model}`,
    {
      [genAi.operationName]: 'chat',
      [genAi.providerName]: target.provider.name,
      [genAi.requestModel]: target.model,
    },
    SpanKind.CLIENT,
  );
  const { signal } = exchange.abort;
  const answer = await services.upstream.send({ ...request, body, signal });
  exchange.timings.upstreamHeadersAt = performance.now();
  return { ...answer, secrets: connection.apiKey === null ? [] : [connection.apiKey] };
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

interface Connection {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

async function openConnection(
  { provider }: Target,
  caller: Caller,
  services: ForwardServices,
): Promise<Connection> {
  if (provider.name === 'sandbox' && services.settings.sandboxUrl !== undefined) {
    return { apiKey: null, baseUrl: services.settings.sandboxUrl };
  }
  const opened: OpenedCredential | null = await services.connections.open(caller.accountId, provider.name);
  if (opened) return { apiKey: opened.secret.apiKey, baseUrl: opened.baseUrl };
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} is not connected.`,
  });
}
