import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { StripeState, type Fields, type StripeAnswer, type StripeSubscription } from './stripe-state.ts';
import { closeServer, listenOnLoopback } from '../loopback/loopback-server.ts';

export interface StripeServerOptions {
  /** Prices for subscriptions. */
  readonly prices: readonly string[];
  /** The port of the Stripe server. The default is a free port. */
  readonly port?: number;
}

export interface StripeCall {
  readonly method: string;
  /** The path of the request, without the query string. */
  readonly path: string;
  readonly fields: Fields;
  readonly idempotencyKey: string | null;
}

export interface SignedEvent {
  readonly id: string;
  /** The exact bytes of the webhook body, which the signature covers. */
  readonly body: string;
  /** The value for the `stripe-signature` header. */
  readonly signature: string;
}

export interface SignOptions {
  /** The current time in Unix milliseconds, which overrides the real time. */
  readonly atMs?: number;
  readonly secret?: string;
}

/**
 * A loopback server that implements the parts of Stripe's API that the gateway uses, including signed
 * webhooks.
 */
export interface StripeServer {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly state: StripeState;
  /** Requests that the server received, in order of arrival, including rejected requests. */
  readonly calls: readonly StripeCall[];
  /** Completes a checkout, as if the user had paid by card. */
  pay(checkoutId: string): StripeSubscription;
  /** Creates a signed event for an object. */
  sign(type: string, object: object, options?: SignOptions): SignedEvent;
  /** Signs the event again and returns it. */
  resign(event: SignedEvent, options?: SignOptions): SignedEvent;
  /** Sets whether the server responds to every request with status 503. */
  setAway(away: boolean): void;
  close(): Promise<void>;
}

export async function startStripeServer(options: StripeServerOptions): Promise<StripeServer> {
  const state = new StripeState(options.prices);
  const calls: StripeCall[] = [];
  const [secretKey, webhookSecret] = [`sk_test_${randomUUID()}`, `whsec_${randomUUID()}`];
  const kept = new Map<string, StripeAnswer>();
  let away = false;
  const answer = async (request: IncomingMessage): Promise<StripeAnswer> => {
    const call = await readCall(request);
    calls.push(call);
    if (away) return { status: 503, body: { error: { type: 'api_error', message: 'away' } } };
    if (request.headers.authorization !== `Bearer ${secretKey}`) return unauthorized;
    const known = call.idempotencyKey === null ? undefined : kept.get(call.idempotencyKey);
    const found = known ?? serve(state, call);
    if (call.idempotencyKey !== null && found.status < 500) kept.set(call.idempotencyKey, found);
    return found;
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${randomUUID()}` });
      response.end(JSON.stringify(body));
    });
  });
  const url = await listenOnLoopback(server, options.port);
  return {
    ...{ url, secretKey, webhookSecret },
    ...{ state, calls },
    pay: (id) => state.pay(id),
    sign: (type, object, sign) => signEvent(renderEvent(type, object), webhookSecret, sign),
    resign: ({ id, body }, sign) => signEvent({ id, body }, webhookSecret, sign),
    setAway: (isAway) => {
      away = isAway;
    },
    close: () => closeServer(server),
  };
}

const unauthorized: StripeAnswer = {
  status: 401,
  body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
};

async function readCall(request: IncomingMessage): Promise<StripeCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://stripe.test');
  const parameters =
    request.method === 'GET' ? url.searchParams : new URLSearchParams(String(Buffer.concat(chunks)));
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    fields: Object.fromEntries(parameters),
    idempotencyKey: request.headers['idempotency-key']?.toString() ?? null,
  };
}

function serve(state: StripeState, { method, path, fields }: StripeCall): StripeAnswer {
  const [, id = '', action] =
    /^\/v1\/(?:customers|checkout\/sessions)\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
  const route = `${method} ${id === '' ? path : path.replace(id, '{id}')}`;
  switch (action === undefined ? route : `${method} ${action}`) {
    case 'POST /v1/customers':
      return state.createCustomer(fields);
    case 'DELETE /v1/customers/{id}':
      return state.deleteCustomer(id);
    case 'POST /v1/checkout/sessions':
      return state.createCheckout(fields);
    case 'GET /v1/checkout/sessions':
      return state.listCheckouts(fields);
    case 'GET /v1/checkout/sessions/{id}':
      return state.findCheckout(id);
    case 'POST expire':
      return state.expireCheckout(id);
    case 'POST /v1/billing_portal/sessions':
      return state.openPortal(fields);
    case 'GET /v1/subscriptions':
      return state.listSubscriptions(fields);
    default:
      return { status: 404, body: { error: { type: 'invalid_request_error', message: 'Unrecognized URL' } } };
  }
}

function renderEvent(type: string, object: object): { id: string; body: string } {
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const created = Math.floor(Date.now() / 1000);
  const event = { id, object: 'event', api_version: '2026-10-28.endive', created, livemode: false, type };
  // Stripe indents its bodies, so a signature computed over a re-serialized body does not match.
  return { id, body: JSON.stringify({ ...event, data: { object } }, null, 2) };
}

/**
 * Creates a webhook signature according to "Verify webhook signatures manually" in
 * https://docs.stripe.com/webhooks.
 */
function signEvent(
  { id, body }: { id: string; body: string },
  webhookSecret: string,
  { atMs = Date.now(), secret = webhookSecret }: SignOptions = {},
): SignedEvent {
  const seconds = Math.floor(atMs / 1000);
  const signed = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { id, body, signature: `t=${seconds},v1=${signed}` };
}
