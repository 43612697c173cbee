import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { appendObserved, isObserved, noteSecret } from '@gateway/testing';

/** The names of fields that contain secrets, in bodies that the gateway or a provider sends or receives. */
const secretFields =
  /^(key|api_key|password|current_password|new_password|secret_access_key|session_token|access_token|refresh_token|token|cloud_secret_access_key|cloud_session_token|cloud_bearer_token_hosted)$/;
/**
 * The minimum length of a recorded secret, in characters. Shorter secrets could match unrelated bytes by
 * chance.
 */
const charactersMin = 12;
const depthMax = 3;
const errorBytesMax = 64 * 1024;

export interface NotedExchange {
  readonly path: string;
  readonly sentHeaders: OutgoingHttpHeaders;
  readonly sentBody: unknown;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/**
 * Records a secret that a test sends to or receives from the shared stack. Secrets are recorded only in test
 * runs that search for leaked secrets.
 */
export function noteUsedSecret(name: string, value: string): void {
  const dataDir = process.env['SHARED_STACK_DATA_DIR'];
  if (dataDir && isObserved(dataDir) && value.length >= charactersMin) noteSecret(dataDir, { name, value });
}

/** Records the secrets in an HTTP request and in its response, including error responses. */
export function noteExchange({ path, sentHeaders, sentBody, status, headers, bytes }: NotedExchange): void {
  const [at = path] = path.split('?', 1);
  for (const name of ['authorization', 'x-api-key', 'cookie'] as const) {
    const value = sentHeaders[name];
    if (typeof value === 'string')
      noteUsedSecret(`${name} sent to ${at}`, value.replace(/^(\S+ +|[^=;]+=)/, ''));
  }
  for (const cookie of headers['set-cookie'] ?? [])
    noteUsedSecret(`cookie of ${at}`, /^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '');
  for (const [name, value] of listSecrets(sentBody)) noteUsedSecret(`${name} sent to ${at}`, value);
  if (status >= 400) keepError(headers, bytes);
  else
    for (const [name, value] of listSecrets(readJson(headers, bytes)))
      noteUsedSecret(`${name} of ${at}`, value);
}

function keepError(headers: IncomingHttpHeaders, bytes: Buffer): void {
  const dataDir = process.env['SHARED_STACK_DATA_DIR'];
  if (!dataDir || !isObserved(dataDir)) return;
  const errorBytes = Buffer.concat([
    Buffer.from(`${JSON.stringify(headers)}\n`),
    bytes.subarray(0, errorBytesMax),
  ]);
  appendObserved(dataDir, 'error-answers', errorBytes);
}

function listSecrets(value: unknown, depth = 0): [string, string][] {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value) || depth > depthMax) return [];
  return Object.entries(value).flatMap(([name, field]: [string, unknown]): [string, string][] =>
    typeof field === 'string' && secretFields.test(name) ? [[name, field]] : listSecrets(field, depth + 1),
  );
}

function readJson(headers: IncomingHttpHeaders, bytes: Buffer): unknown {
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return null;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
