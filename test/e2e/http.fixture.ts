import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { noteExchange } from './canary-notes.fixture.ts';

export interface Sent {
  readonly method?: string;
  /** The path as sent on the request line, without normalization. */
  readonly path?: string;
  /** The API key, sent as `Authorization: Bearer`. */
  readonly key?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** The request body. The client sends strings and bytes unchanged, and all other values as JSON. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Parses the response body as JSON. Throws an error if the body is not valid JSON. */
  json(): unknown;
}

const answersWithinMs = 20_000;

/** A response that may have been cut off. */
export interface PartialAnswer extends Answer {
  /** The error that cut the response off, or null if the client received the complete response. */
  readonly brokenBy: NodeJS.ErrnoException | null;
}

/** Sends one HTTP request on its own connection, and does not normalize the path. */
export async function send(baseUrl: string, sent: Sent): Promise<Answer> {
  const { brokenBy, ...answer } = await sendUntilEnd(baseUrl, sent);
  if (brokenBy !== null) throw brokenBy;
  return answer;
}

/** Sends one HTTP request as `send` does. Returns an incomplete response together with its error. */
export function sendUntilEnd(
  baseUrl: string,
  { method, path = '/', key, headers, body }: Sent,
): Promise<PartialAnswer> {
  const bytes = body === undefined ? undefined : renderBody(body);
  const { hostname, port } = new URL(baseUrl);
  const sentHeaders = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(bytes === undefined ? {} : { 'content-type': 'application/json', ...lengthOf(bytes, headers) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const call = request({
      agent: false,
      hostname,
      port,
      path,
      method: method ?? (bytes === undefined ? 'GET' : 'POST'),
      headers: sentHeaders,
      signal: AbortSignal.timeout(answersWithinMs),
    });
    call.on('error', reject);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      const end = (brokenBy: NodeJS.ErrnoException | null): void => {
        const whole = Buffer.concat(chunks);
        const text = whole.toString('utf8');
        const status = response.statusCode ?? 0;
        const { headers: answered } = response;
        noteExchange({ path, sentHeaders, sentBody: body, status, headers: answered, bytes: whole });
        resolve({
          status,
          headers: response.headers,
          bytes: whole,
          text,
          json: () => JSON.parse(text) as unknown,
          brokenBy,
        });
      };
      // After a connection reset, Node emits the error first on the request object.
      // Node emits the error on the response object only after all received data.
      call.off('error', reject).on('error', () => undefined);
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', end);
      response.once('end', () => end(null));
    });
    call.end(bytes);
  });
}

/** Returns the `content-length` header. A request with a chunked body has no `content-length` header. */
function lengthOf(bytes: Buffer, headers: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return 'transfer-encoding' in headers ? {} : { 'content-length': bytes.length };
}

function renderBody(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends `POST /v1/chat/completions`. */
export function postChat(baseUrl: string, key: string, body: unknown, headers: OutgoingHttpHeaders = {}) {
  return send(baseUrl, { path: '/v1/chat/completions', key, body, headers });
}
