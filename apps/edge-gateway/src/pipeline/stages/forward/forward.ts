import { GatewayError } from '@gateway/errors';
import { renderUpstreamRequest } from '@gateway/providers';
import { genAi, withSpan, SpanKind } from '@gateway/observability';
import type { Connections, OpenedCredential } from '../../../connections/connections.ts';
import type { Upstream } from '../../../upstream/upstream.ts';
import type { UpstreamAnswer } from '../../answer.ts';
import type { Caller } from '../../caller.ts';
import type { Exchange } from '../../exchange.ts';
import type { Outbound } from '../../outbound.ts';
import type { PipelineSettings } from '../../services.ts';
import type { Target } from '../../target.ts';
import { chooseLane } from './choose-lane.ts';

interface ForwardServices {
  readonly connections: Connections;
  readonly upstream: Upstream;
  readonly settings: PipelineSettings;
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
  const lane = chooseLane(exchange.format, target.provider);
  const request = renderUpstreamRequest({
    provider: target.provider,
    format: lane.format,
    baseUrl: connection.baseUrl,
    model: target.model,
    credential: connection.apiKey,
    stream: exchange.ledger.stream,
    clientHeaders: exchange.request.headers,
  });
  exchange.outboundBytes = outbound.body.length;
  exchange.timings.forwardedAt = performance.now();
  exchange.headers['x-svc-overhead-ms'] = (exchange.timings.forwardedAt - exchange.timings.startedAt).toFixed(
    2,
  );
  const attributes = { [genAi.providerName]: target.provider.name, [genAi.requestModel]: target.model };
  const answer = await withSpan(
    `chat ${target.model}`,
    attributes,
    () => services.upstream.send({ ...request, body: outbound.body, signal: exchange.abort.signal }),
    SpanKind.CLIENT,
  );
  exchange.timings.upstreamHeadersAt = performance.now();
  return { ...answer, secrets: connection.apiKey === null ? [] : [connection.apiKey] };
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
