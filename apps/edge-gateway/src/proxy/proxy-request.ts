import { applyEdits } from '@gateway/wire-formats';
import type { IncomingMessage } from 'node:http';
import { GatewayError, toGatewayError } from '@gateway/errors';
import type { ProxyEndpoint } from '@gateway/providers';
import { letOthersRun } from '../admission/admission.ts';
import { scanBody } from '../pipeline/stages/parse/parse.ts';
import { restrictBody } from '../tool-lists/restrict-body.ts';
import type { ToolLists, ToolPermission } from '../tool-lists/tool-permission.ts';
import { permissionOf } from '../tool-lists/tool-permission.ts';
import type { HeldBody } from './held-body.ts';
import { holdUntilModel } from './held-body.ts';
import { JsonModelScanner } from './json-model-scanner.ts';
import type { ModelScanner } from './model-scanner.ts';
import { modelMissing } from './model-scanner.ts';
import { handleRequest } from '../pipeline/handle-request.ts';
import { authenticateHeaders } from '../request/authenticate-headers.ts';
import { renderHeaderText } from '../request/http-response.ts';
import type { Exchange } from '../pipeline/exchange/exchange.ts';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import { dropSealedReasoning, isLarge, readOwnCredential } from '../request/request-facts.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { authenticate } from '../pipeline/stages/authenticate/authenticate.ts';
import { connectedProviders } from '../connections/open-connection.ts';
import { limit } from '../pipeline/stages/limit/limit.ts';
import { record } from '../pipeline/stages/record/record.ts';
import { relayError } from '../pipeline/stages/relay/relay-errors.ts';
import type { Caller } from '../request/request.ts';
import { answerResponses, needsTranslation } from './answer-responses.ts';
import { forwardBody } from './forward-body.ts';
import { MultipartModelScanner } from './multipart-model-scanner.ts';
import type { OutgoingBody } from './outgoing-body.ts';
import { cloudMark, prepareBody } from './outgoing-body.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { chooseProxyTarget, mayBeHosted, type WantedProxy } from './proxy-target.ts';
import { relayBytes } from './relay.ts';

/**
 * Removes the tools that the API key may not use from a proxied request with a JSON body. The request body is
 * buffered, because a tool may be anywhere in the body. Returns the key's tool permission, which also applies
 * to the response. Returns null for an API key that may use all tools, so that the body can be streamed.
 * Multipart bodies have no tools.
 * @throws GatewayError `tool_not_allowed` if `tool_choice` forces a tool that the API key may not use.
 * @throws GatewayError `ambiguous_tools` if two JSON parsers could read different tools from the body.
 * @throws GatewayError `malformed_json`, `too_deep` or `request_too_large` if the body cannot be parsed
 */
async function restrictProxied(
  body: HeldBody,
  { isJson }: ModelScanner,
  caller: ToolLists,
): Promise<ToolPermission | null> {
  const permission = permissionOf(caller);
  if (permission === null || !isJson) return permission;
  const given = await body.holdAll();
  const edits = restrictBody(scanBody(given), permission);
  if (edits.length > 0) replaceBody(body, Buffer.from(applyEdits(given, edits)));
  return permission;
}

function replaceBody(body: HeldBody, bytes: Buffer): void {
  const place = new JsonModelScanner().push(bytes);
  if (place === null) throw modelMissing();
  body.replace(bytes, place);
}

/**
 * Removes reasoning that the gateway encoded for a client of the Responses API. The body is buffered, because
 * the reasoning may be anywhere in the body. A body that the gateway cannot parse is forwarded unchanged, so
 * that the provider validates the body.
 */
async function dropSealed(body: HeldBody, exchange: Exchange): Promise<void> {
  const given = await body.holdAll();
  if (isLarge(given)) await letOthersRun(exchange);
  try {
    const bytes = dropSealedReasoning(given, scanBody);
    if (bytes.length < given.length) replaceBody(body, bytes);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Endpoints for file uploads. File upload endpoints also accept JSON, which some providers require. */
const multipartEndpoints: ReadonlySet<ProxyEndpoint> = new Set([
  'images/edits',
  'images/variations',
  'audio/transcriptions',
  'videos/generations',
]);

/**
 * Handles a request to the Responses API. If the account turned on planning for the Responses API, the gateway
 * handles the request as a chat request. Without planning, the request is proxied. The function never throws.
 */
export async function handleResponses(exchange: Exchange, services: PipelineServices): Promise<void> {
  const { headers } = exchange.request;
  // Authentication errors are ignored, because the request handler authenticates again and reports the error.
  const caller = await authenticateHeaders(headers, services.grants).catch(() => undefined);
  return caller?.responses.plan === true
    ? handleRequest(exchange, services)
    : proxyRequest(exchange, services, 'responses');
}

/**
 * Handles a proxied request. The gateway reads only the model name, does not plan the request, and stores no
 * content. Authentication, limits, credentials and the request log work as they do for chat requests.
 * The function never throws.
 */
export async function proxyRequest(
  exchange: Exchange,
  services: PipelineServices,
  endpoint: ProxyEndpoint,
): Promise<void> {
  const recording = record(exchange, services);
  let outcome: RelayOutcome | undefined;
  let body: HeldBody | undefined;
  try {
    const known = await authenticate(exchange, services);
    const turn = services.admission.enter(known.accountId, exchange);
    if (turn) await turn;
    const caller = await limit(exchange, known, services);
    recording.accept(caller);
    const { scanner, bytesMax } = openScanner(exchange.request, endpoint, services.settings);
    body = await holdUntilModel(exchange.request, scanner, bytesMax, exchange.turn);
    const { model } = body.place;
    exchange.ledger.requestedModel = model;
    const connected = await connectedProviders(caller.accountId, services);
    const ownCredential = await readCredential(body, scanner, services);
    await services.accountModels.open({ accountId: caller.accountId, connected, model });
    const { providerOrder } = caller.routing;
    const wanted = { model, endpoint, connected, ownCredential, providerOrder };
    outcome =
      endpoint === 'responses' && needsTranslation(wanted, services.catalog)
        ? await answerResponses(body, recording, exchange, caller, services)
        : await passThrough({ body, scanner, wanted }, recording, exchange, caller, services);
  } catch (thrown) {
    outcome = relayError(toGatewayError(thrown), exchange, services);
  }
  await body?.close();
  recording.finish(outcome);
  services.admission.leave(exchange);
}

interface Passed {
  readonly body: HeldBody;
  readonly scanner: ModelScanner;
  readonly wanted: WantedProxy;
}

/** Forwards the body unchanged, apart from the model and forbidden tools. */
async function passThrough(
  { body, scanner, wanted }: Passed,
  recording: { readonly accepted: () => Promise<void> },
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<RelayOutcome> {
  const { endpoint, model } = wanted;
  const guard = await restrictProxied(body, scanner, caller);
  if (endpoint === 'responses') await dropSealed(body, exchange);
  const target = chooseProxyTarget(wanted, services.catalog);
  const outgoing = await prepareBody(body, scanner, target);
  note(exchange, model, target, outgoing);
  await recording.accepted();
  const permission = endpoint === 'responses' ? guard : null;
  let outcome: RelayOutcome | undefined;
  do {
    const answer = await forwardBody({ body: outgoing, target, endpoint }, exchange, caller, services);
    outcome = await relayBytes(answer, target, { ...outgoing, permission }, exchange).catch(answer.giveUp);
  } while (outcome === undefined);
  return outcome;
}

/**
 * Opens a scanner for the request body. Throws `unsupported_media_type` if the endpoint does not accept the
 * body's content type.
 */
function openScanner(
  request: IncomingMessage,
  endpoint: ProxyEndpoint,
  { bodyBytesMax, multipartBytesMax }: PipelineServices['settings'],
): { scanner: ModelScanner; bytesMax: number } {
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (mediaType === 'application/json') return { scanner: new JsonModelScanner(), bytesMax: bodyBytesMax };
  if (!multipartEndpoints.has(endpoint)) throw new GatewayError('unsupported_media_type');
  if (mediaType === 'multipart/form-data') {
    // A multipart body is never buffered completely.
    return { scanner: new MultipartModelScanner(contentType), bytesMax: multipartBytesMax };
  }
  const message = 'Send the body as multipart/form-data or application/json.';
  throw new GatewayError('unsupported_media_type', { message });
}

/**
 * Returns the request's credential for the hosted model service. Returns null if the request has no credential for
 * the service, or the model is not hosted.
 */
async function readCredential(
  body: HeldBody,
  { isJson }: ModelScanner,
  { catalog }: PipelineServices,
): Promise<string | null> {
  if (!isJson || !mayBeHosted(body.place.model, catalog)) return null;
  const bytes = await body.holdAll();
  return bytes.includes(cloudMark) ? readOwnCredential(scanBody(bytes)) : null;
}

function note(
  { ledger, headers }: Exchange,
  requested: string,
  { provider, model }: ProxyTarget,
  { isMapped }: OutgoingBody,
): void {
  ledger.model = model;
  ledger.provider = provider.name;
  const ownLane = requested === model ? 'untouched' : 'edited';
  ledger.lane = isMapped ? 'translated' : ownLane;
  headers['x-svc-provider'] = provider.name;
  headers['x-svc-model'] = renderHeaderText(model);
}
