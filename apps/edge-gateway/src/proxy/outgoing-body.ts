import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { JsonFields, MappedRequest } from '@gateway/providers';
import { cloudFields } from '@gateway/wire-formats';
import { isLarge } from '../request/request-facts.ts';
import type { HeldBody } from './held-body.ts';
import { MemberFilter } from './member-filter.ts';
import type { ModelPlace, ModelScanner } from './model-scanner.ts';
import type { ProxyTarget } from './proxy-target.ts';

/** The body that is sent to the provider for a proxied request. */
export interface OutgoingBody {
  /** The content type of the request body. If undefined, the client's content type is used. */
  readonly contentType: string | undefined;
  /** The length of the body in bytes. Undefined if the client did not declare a length. */
  readonly length: number | undefined;
  /** Whether the body can be sent again. */
  readonly isRepeatable: boolean;
  /** The whole request body. Undefined if the body is not buffered. */
  readonly bytes: Buffer | undefined;
  readonly open: () => Uint8Array | Readable;
  /** Converts the response to the client's format. If undefined, the response is forwarded unchanged. */
  readonly mapAnswer?: NonNullable<MappedRequest['mapAnswer']>;
  /** Whether the JSON structure of the body differs from the client's body. */
  readonly isMapped: boolean;
}

/** The prefix shared by all `cloud_*` fields in a request body. */
export const cloudMark = Buffer.from('"cloud_');
const modelMark = Buffer.from('"model"');
/**
 * The prefixes of JSON escapes for lowercase letters and underscores. A client can spell an object key
 * differently by using JSON escapes.
 */
const escapeMarks = ['\\u005', '\\u006', '\\u007'].map((mark) => Buffer.from(mark));

/**
 * Prepares the client's body for the provider. The preparation inserts the provider's model name and removes
 * fields that are never forwarded. The body is streamed, or buffered if the provider requires a different
 * JSON structure or a signature.
 * @throws GatewayError `unsupported_media_type` if the provider requires JSON and the body is not JSON.
 * @throws GatewayError `malformed_json` if the body is not valid JSON.
 * @throws GatewayError `request_too_large` if the body exceeds the size limit.
 * @throws GatewayError `invalid_field` if a field of the body is invalid
 */
export async function prepareBody(
  body: HeldBody,
  scanner: ModelScanner,
  target: ProxyTarget,
): Promise<OutgoingBody> {
  const { shape, isSigned } = target.route;
  if (shape !== undefined || isSigned) {
    if (!scanner.isJson) throw new GatewayError('unsupported_media_type', { message: jsonAlone(target) });
    const bytes = await body.holdAll();
    const mapped = shape?.(parseFields(bytes), target.model) ?? null;
    if (mapped !== null) return mappedBody(mapped);
  } else await body.holdRest();
  return ownBody(body, scanner, target.model);
}

function jsonAlone({ provider }: ProxyTarget): string {
  return `The provider ${provider.name} takes these requests only as application/json.`;
}

function parseFields(bytes: Buffer): JsonFields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new GatewayError('malformed_json', { message: 'The body is not valid JSON.' });
  }
  const own = new Set<string>(cloudFields);
  return Object.fromEntries(Object.entries(parsed as JsonFields).filter(([name]) => !own.has(name)));
}

function mappedBody({ body, mapAnswer }: MappedRequest): OutgoingBody {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    contentType: 'application/json',
    length: bytes.length,
    isRepeatable: true,
    bytes,
    open: () => bytes,
    isMapped: true,
    ...(mapAnswer === undefined ? {} : { mapAnswer }),
  };
}

async function ownBody(body: HeldBody, scanner: ModelScanner, model: string): Promise<OutgoingBody> {
  const modelBytes = scanner.renderModel(model);
  const shared = { contentType: undefined, isRepeatable: body.isWhole, isMapped: false };
  const filters =
    scanner.isJson && (!body.isWhole || (await mayNeedFilter(await body.holdAll(), body.place)));
  const read = (): AsyncIterable<Buffer> =>
    filters ? filterMembers(body.read(modelBytes)) : body.read(modelBytes);
  const open = (): Readable => Readable.from(read(), { objectMode: false });
  if (!body.isWhole) return { ...shared, length: body.lengthWith(modelBytes), bytes: undefined, open };
  const chunks: Buffer[] = [];
  for await (const chunk of read()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { ...shared, length: bytes.length, bytes, open: () => bytes };
}

/**
 * Returns whether the body may contain a field that is never forwarded, or a second `model` field. Other requests
 * run between two searches, because a search is slow if the body often repeats the first byte of the search text.
 */
async function mayNeedFilter(bytes: Buffer, { end }: ModelPlace): Promise<boolean> {
  for (const mark of [cloudMark, modelMark, ...escapeMarks]) {
    if (isLarge(bytes)) await nextTurn();
    if (bytes.includes(mark, mark === modelMark ? end : 0)) return true;
  }
  if (isLarge(bytes)) await nextTurn();
  return false;
}

/**
 * Removes fields that are never forwarded, and any second `model` field. The gateway checks the first `model` field,
 * but most JSON parsers use the last field with this name.
 */
async function* filterMembers(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const filter = new MemberFilter(cloudFields, 'model');
  for await (const chunk of chunks) {
    const kept = filter.push(chunk);
    if (kept.length > 0) yield kept;
  }
  const rest = filter.end();
  if (rest.length > 0) yield rest;
}
