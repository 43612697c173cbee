import { genAi, openSpan, SpanKind, type Span } from '@gateway/observability';
import {
  renderUpstreamRequest,
  signUpstreamRequest,
  type ProxyEndpoint,
  type UpstreamCall,
  type UpstreamRequest,
} from '@gateway/providers';
import type { ChatAnswer } from '../pipeline/exchange/answer.ts';
import type { Caller } from '../request/request.ts';
import type { Attempt } from '../pipeline/exchange/attempt.ts';
import type { Exchange } from '../pipeline/exchange/exchange.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { loopHeader } from '../loops/loop-guard.ts';
import { markSent } from '../pipeline/stages/forward/call-provider.ts';
import type { Candidate } from '../pipeline/stages/forward/candidates.ts';
import { tryCandidates } from '../pipeline/stages/forward/try-candidates.ts';
import type { OutgoingBody } from './outgoing-body.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { usualLane } from './relay.ts';

interface Outgoing {
  readonly body: OutgoingBody;
  readonly target: ProxyTarget;
  readonly endpoint: ProxyEndpoint;
}

/**
 * Forwards a request body as it arrives, with the stored credential for the provider. The promise resolves when the
 * response status and headers have arrived. A streamed body can be sent only once. A buffered body is sent again if
 * a provider call fails.
 */
export function forwardBody(
  outgoing: Outgoing,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<ChatAnswer> {
  const { provider, model, ownCredential } = outgoing.target;
  const target = { provider, model, lane: usualLane, ownCredential };
  const { isRepeatable } = outgoing.body;
  return tryCandidates(
    {
      ...{ target, exchange, caller, isRepeatable },
      send: (candidate, attempt, signal) =>
        sendBody(outgoing, candidate, attempt, exchange, signal, services),
    },
    services,
  );
}

async function sendBody(
  { body, target, endpoint }: Outgoing,
  { connection }: Candidate,
  attempt: Attempt,
  exchange: Exchange,
  signal: AbortSignal,
  services: PipelineServices,
) {
  const { contentType = exchange.request.headers['content-type'] ?? 'application/json' } = body;
  const call = describeCall(body, target, connection, exchange);
  const { url, headers } = await signUpstreamRequest(
    call,
    withContentType(renderUpstreamRequest(call), contentType),
    // A streamed body is never covered by the signature of a request.
    { method: 'POST', body: body.bytes ?? Buffer.alloc(0) },
  );
  markSent(attempt, exchange);
  attempt.span = openProxySpan(endpoint, target);
  const answer = await services.upstream.send({
    url,
    headers: {
      ...headers,
      accept: exchange.request.headers.accept ?? '*/*',
      ...(body.length === undefined ? {} : { 'content-length': String(body.length) }),
    },
    body: body.open(),
    signal,
    loopHeader: exchange.request.headers[loopHeader],
  });
  attempt.headersAt = performance.now();
  connection.health.note(answer.status);
  return answer;
}

function describeCall(
  { isMapped }: OutgoingBody,
  { provider, model, route }: ProxyTarget,
  { baseUrl, credential }: Candidate['connection'],
  { request }: Exchange,
): UpstreamCall {
  return {
    ...{ provider, model, baseUrl, credential },
    format: 'chat-completions',
    stream: false,
    path: route.path,
    ...(route.auth === undefined ? {} : { auth: route.auth }),
    // A converted request drops the client's headers, because these headers apply only to the client's API format.
    ...(isMapped ? {} : { clientHeaders: request.headers }),
  };
}

/** The content type is set before signing, because the signature covers the content type. */
function withContentType({ url, headers }: UpstreamRequest, contentType: string): UpstreamRequest {
  return { url, headers: { ...headers, 'content-type': contentType } };
}

function openProxySpan(endpoint: ProxyEndpoint, { provider, model }: ProxyTarget): Span {
  const attributes = {
    [genAi.operationName]: endpoint,
    [genAi.providerName]: provider.name,
    [genAi.requestModel]: model,
  };
  return openSpan(`${endpoint} ${model}`, attributes, SpanKind.CLIENT);
}
