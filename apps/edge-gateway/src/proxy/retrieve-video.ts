import { GatewayError, toGatewayError } from '@gateway/errors';
import { genAi, openSpan, SpanKind } from '@gateway/observability';
import {
  findProvider,
  proxyRouteOf,
  renderUpstreamRequest,
  signUpstreamRequest,
  type JsonFields,
  type Provider,
  type ProxyRoute,
  type UpstreamRequest,
  type VideoRoutes,
} from '@gateway/providers';
import { failureOfError } from '../backends/failure.ts';
import { connectedProviders } from '../connections/open-connection.ts';
import { loopHeader } from '../loops/loop-guard.ts';
import type { Attempt } from '../pipeline/exchange/attempt.ts';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import type { Exchange } from '../pipeline/exchange/exchange.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { authenticate } from '../pipeline/stages/authenticate/authenticate.ts';
import { parseNamedModel } from '../pipeline/stages/choose/choose-target.ts';
import { markSent } from '../pipeline/stages/forward/call-provider.ts';
import type { Candidate } from '../pipeline/stages/forward/candidates.ts';
import { tryCandidates } from '../pipeline/stages/forward/try-candidates.ts';
import { limit } from '../pipeline/stages/limit/limit.ts';
import { record } from '../pipeline/stages/record/record.ts';
import { relayError } from '../pipeline/stages/relay/relay-errors.ts';
import { readWhole } from '../upstream/answer-body.ts';
import type { Caller } from '../request/request.ts';
import type { UpstreamReply } from '../upstream/upstream.port.ts';
import { parseFields, relayBytes, usualLane } from './relay.ts';

/** Whether the client wants the video object or the bytes of a finished video. */
export interface WantedVideo {
  /** The video's id as the client received it, optionally with a provider name as a prefix (`xai/<id>`). */
  readonly id: string;
  readonly part: 'state' | 'content';
  /** The query of a request for the video's bytes, such as `variant=thumbnail`. */
  readonly query: string;
}

export interface VideoTarget {
  readonly provider: Provider;
  /** The video's id, as issued by the provider. */
  readonly id: string;
  readonly route: ProxyRoute;
  readonly videos: VideoRoutes;
}

/**
 * Returns a generated video, or the state of the video, from the provider that generates it. The gateway does
 * not store any data about videos. Authentication, limits, credentials and the request log work as for
 * proxied requests. The function never throws.
 */
export async function retrieveVideo(
  exchange: Exchange,
  services: PipelineServices,
  wanted: WantedVideo,
): Promise<void> {
  const recording = record(exchange, services);
  let outcome: RelayOutcome | undefined;
  try {
    const known = await authenticate(exchange, services);
    const turn = services.admission.enter(known.accountId, exchange);
    if (turn) await turn;
    const caller = await limit(exchange, known, services);
    recording.accept(caller);
    const target = chooseVideo(wanted.id, await connectedProviders(caller.accountId, services));
    exchange.ledger.provider = target.provider.name;
    exchange.headers['x-svc-provider'] = target.provider.name;
    await recording.accepted();
    do outcome = await relayVideo(wanted, target, exchange, caller, services);
    while (outcome === undefined);
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  recording.finish(outcome);
  services.admission.leave(exchange);
}

/** Returns undefined if the response failed before its first byte and another credential can be tried. */
export async function relayVideo(
  wanted: WantedVideo,
  { provider, id, route, videos }: VideoTarget,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<RelayOutcome | undefined> {
  const target = { provider, model: '', lane: usualLane, ownCredential: null };
  const answer = await tryCandidates(
    {
      ...{ target, exchange, caller, isRepeatable: true },
      send: ({ connection }, attempt, signal) => {
        markSent(attempt, exchange);
        const attributes = { [genAi.operationName]: 'videos', [genAi.providerName]: provider.name };
        attempt.span = openSpan('videos', attributes, SpanKind.CLIENT);
        const call = { target: { provider, id, route, videos }, connection, exchange, signal, services };
        return callProvider(wanted, call, attempt);
      },
    },
    services,
  );
  // The provider has already returned the video's state, so a failed download does not count as a provider failure.
  if (wanted.part === 'content' && videos.contentPathOf === undefined) answer.ended();
  const { mapState } = videos;
  const isMapped = wanted.part === 'state' && mapState !== undefined;
  const mapping = isMapped ? { mapAnswer: (state: JsonFields) => mapState(state, id) } : {};
  const rules = { isMapped, permission: null, ...mapping };
  return relayBytes(answer, { ...target, route }, rules, exchange).catch(answer.giveUp);
}

const idPattern = /^[\w.~:@=+-]+(\/[\w.~:@=+-]+)*$/;
const idCharactersMax = 512;

/**
 * Chooses the provider of a video. A provider name in front of the id selects that provider. Without a provider
 * name, the form of the id must match the ids of exactly one connected provider.
 * @throws GatewayError `invalid_field`, `provider_not_connected`, `ambiguous_model`, `endpoint_not_supported`
 */
function chooseVideo(given: string, connected: ReadonlySet<string>): VideoTarget {
  const isPath = given.split('/').some((step) => step === '.' || step === '..');
  if (given.length > idCharactersMax || !idPattern.test(given) || isPath)
    throw new GatewayError('invalid_field', { param: 'id', message: 'The video id is not valid.' });
  const named = parseNamedModel(given);
  if (named !== undefined) return chooseNamed(named.provider, named.model, connected);
  const able = [...connected].flatMap((name) => targetAt(findProvider(name), given) ?? []);
  const matching = able.filter(({ videos }) => videos.ids?.test(given));
  const open = able.filter(({ videos }) => videos.ids === undefined);
  const usable = [matching, open, able].find((targets) => targets.length > 0) ?? [];
  const [first, ...others] = usable;
  if (first === undefined) {
    const message =
      'No connected provider returns generated videos. Connect the provider that created the video.';
    throw new GatewayError('provider_not_connected', { param: 'id', message });
  }
  if (others.length === 0) return first;
  const choices = usable.map(({ provider }) => `${provider.name}/${given}`).join(', ');
  const message = `More than one connected provider can have the video "${given}". Put the provider in front of the id, percent-encoded: ${choices}.`;
  throw new GatewayError('ambiguous_model', { param: 'id', message });
}

function chooseNamed(provider: Provider, id: string, connected: ReadonlySet<string>): VideoTarget {
  if (!connected.has(provider.name)) {
    const message = `The video needs the provider ${provider.name}, which is not connected. Connect it with PUT /v1/account/providers.`;
    throw new GatewayError('provider_not_connected', { param: 'id', message });
  }
  const target = targetAt(provider, id);
  if (target !== undefined) return target;
  const message = `The provider ${provider.name} has no endpoint for the video "${id}".`;
  throw new GatewayError('endpoint_not_supported', { param: 'id', message });
}

function targetAt(provider: Provider | undefined, id: string): VideoTarget | undefined {
  const route = provider && proxyRouteOf(provider, 'videos/generations', '');
  const videos = route?.videos;
  if (provider === undefined || route === undefined || videos?.stateOf(id) === undefined) return undefined;
  return { provider, id, route, videos };
}

/**
 * Maximum length of a video's state in bytes. A video's state takes a few kilobytes, unless it contains the
 * video itself.
 */
const stateBytesMax = 1024 * 1024;
/** Maximum number of redirects when the bytes of a video are fetched. */
const redirectsMax = 3;
/** Maximum length of the URL of a video's bytes. Signed URLs can be a few thousand characters long. */
const urlCharactersMax = 16 * 1024;

/** One attempt with one credential to retrieve a video. */
interface VideoCall {
  readonly target: VideoTarget;
  readonly connection: Candidate['connection'];
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
  readonly services: PipelineServices;
}

async function callProvider(
  { part, query }: WantedVideo,
  call: VideoCall,
  attempt: Attempt,
): Promise<UpstreamReply> {
  const { id, videos } = call.target;
  const own = part === 'content' ? videos.contentPathOf?.(id) : undefined;
  const wanted = own === undefined ? videos.stateOf(id) : { path: query === '' ? own : `${own}?${query}` };
  const { path, body } = wanted ?? { path: '' };
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const request = await renderCall(path, bytes, call);
  const reply = await send(request, bytes, call);
  attempt.headersAt = performance.now();
  call.connection.health.note(reply.status);
  const needsContent = part === 'content' && own === undefined;
  return needsContent && reply.status < 300 ? fetchContent(reply, request, call) : reply;
}

function renderCall(
  path: string,
  body: Buffer | null,
  { target: { provider, route }, connection: { baseUrl, credential } }: VideoCall,
): Promise<UpstreamRequest> {
  const { auth } = route;
  const call = {
    ...{ provider, baseUrl, credential, path },
    ...({ model: '', format: 'chat-completions', stream: false } as const),
    ...(auth === undefined ? {} : { auth }),
  };
  const signed = { method: 'POST', body: body ?? Buffer.alloc(0) } as const;
  return signUpstreamRequest(call, renderUpstreamRequest(call), signed);
}

function send(
  { url, headers: { 'content-type': contentType, ...headers } }: UpstreamRequest,
  body: Buffer | null,
  { exchange, signal, services }: VideoCall,
  isLinked?: true,
): Promise<UpstreamReply> {
  const typed = body === null || contentType === undefined ? {} : { 'content-type': contentType };
  return services.upstream.send({
    ...{ url, body, signal },
    ...(body === null ? { method: 'GET' } : {}),
    ...(isLinked ? { isLinked } : {}),
    headers: { ...headers, ...typed, accept: exchange.request.headers.accept ?? '*/*' },
    loopHeader: exchange.request.headers[loopHeader],
  });
}

/**
 * Fetches the video's bytes from the URL in the video's state. The credential is sent only to the address from
 * which the state was requested.
 * @throws GatewayError `not_found` for a video without bytes, or `provider_error` if the bytes are stored at
 * another address and cannot be fetched
 */
async function fetchContent(
  state: UpstreamReply,
  request: UpstreamRequest,
  call: VideoCall,
): Promise<UpstreamReply> {
  const { bytes, isWhole } = await readWhole(state.body, stateBytesMax);
  if (!isWhole) state.body.discard();
  const { origin } = new URL(request.url);
  let url = findUrl(bytes, call.target);
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    if (url.length > urlCharactersMax) throw contentError('its URL is too long');
    const isOwn = new URL(url).origin === origin;
    const reply = await (isOwn
      ? send({ url, headers: request.headers }, null, call, true)
      : fetchElsewhere(url, call));
    const { location } = reply.headers;
    if (reply.status < 300 || reply.status >= 400 || typeof location !== 'string') return reply;
    reply.body.discard();
    if (!URL.canParse(location, url)) throw contentError('its server sent an invalid redirect');
    url = new URL(location, url).href;
  }
  throw contentError('its servers sent too many redirects');
}

/**
 * Sends a request to a server that the provider does not operate. If the video server fails, the function throws
 * `provider_error`. A failure of the video server does not count against the provider or the credential.
 */
async function fetchElsewhere(url: string, call: VideoCall): Promise<UpstreamReply> {
  const headers = { 'accept-encoding': 'identity' };
  const reply = await send({ url, headers }, null, call, true).catch((error: unknown) => {
    if (failureOfError(error) === undefined) throw error;
    throw contentError('its server cannot be reached', error);
  });
  const isRedirect = reply.status < 400 && reply.headers['location'] !== undefined;
  if (reply.status < 300 || isRedirect) return reply;
  reply.body.discard();
  throw contentError(`its server returned the status ${reply.status}`);
}

function contentError(reason: string, cause?: unknown): GatewayError {
  const message = `The video cannot be downloaded: ${reason}. Retry later.`;
  return new GatewayError('provider_error', { message, cause });
}

function findUrl(state: Buffer, { provider, id, videos }: VideoTarget): string {
  const url = videos.urlOf?.(parseFields(state));
  if (url !== undefined && URL.canParse(url)) return url;
  const reason =
    videos.urlOf === undefined
      ? `The provider ${provider.name} returns a video's content within the video object.`
      : 'The video has no content yet, or its generation failed.';
  const message = `${reason} See GET /v1/videos/${encodeURIComponent(id)}.`;
  throw new GatewayError('not_found', { param: 'id', message });
}
