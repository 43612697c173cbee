import type { IncomingMessage } from 'node:http';
import { GatewayError, missingField, unknownField } from '@gateway/errors';
import { JsonDepthError, JsonSyntaxError, scanJson } from '@gateway/wire-formats';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/**
 * Reads a whole body, up to a size limit. If the declared length exceeds the limit, the body is rejected
 * without reading. If the declaration is wrong, it is rejected when it reaches the limit. Throws
 * `request_too_large`, or the stream's own error if the client disconnects.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  // A client that has already disconnected causes no further events.
  if (request.destroyed || request.readableEnded) throw clientLeft();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      reject(tooLarge(bytesMax));
    });
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)),
    );
    request.once('error', reject);
    request.once('aborted', () => reject(clientLeft()));
  });
}

export function clientLeft(): Error {
  return new Error('the client left while sending its request');
}

export function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('request_too_large', { message: `The body is larger than ${bytesMax} bytes.` });
}

/** @throws GatewayError `unsupported_media_type` unless the body is declared as JSON */
export function requireJson(request: IncomingMessage): void {
  const declared = request.headers['content-type'] ?? '';
  const mediaType = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (mediaType !== 'application/json') throw new GatewayError('unsupported_media_type');
}

/** Account bodies are small. A tool list with 4,096 names of 256 characters fits. */
const accountBodyBytesMax = 2 * 1024 * 1024;

/** Reads and validates a JSON body. Throws registered errors that name the invalid field in `param`. */
export async function readJson<Schema extends z.ZodType>(
  request: FastifyRequest,
  schema: Schema,
  bytesMax = accountBodyBytesMax,
): Promise<z.output<Schema>> {
  requireJson(request.raw);
  const bytes = await readBody(request.raw, bytesMax);
  return parseInput(schema, parseJson(bytes));
}

/**
 * Like `readJson`, for an optional body. An empty body counts as an empty object, whatever its content type.
 */
export async function readOptionalJson<Schema extends z.ZodType>(
  request: FastifyRequest,
  schema: Schema,
  bytesMax = accountBodyBytesMax,
): Promise<z.output<Schema>> {
  const bytes = await readBody(request.raw, bytesMax);
  if (bytes.length === 0) return parseInput(schema, {});
  requireJson(request.raw);
  return parseInput(schema, parseJson(bytes));
}

function parseJson(bytes: Buffer): unknown {
  try {
    const tape = scanJson(bytes, { depthMax: 128 });
    return tape.value(tape.root);
  } catch (error) {
    if (error instanceof JsonDepthError) throw new GatewayError('too_deep');
    if (error instanceof JsonSyntaxError) throw new GatewayError('malformed_json');
    throw error;
  }
}

/** Validates client input. Reports the first invalid field by its path. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw new GatewayError('invalid_field');
  if (issue.code === 'unrecognized_keys')
    throw unknownField(renderPath([...issue.path, issue.keys[0] ?? '']));
  const param = renderPath(issue.path);
  if (issue.code === 'invalid_type' && issue.input === undefined && param !== '') throw missingField(param);
  throw new GatewayError('invalid_field', {
    ...(param === '' ? {} : { param }),
    message: `${param === '' ? 'The body' : `The field "${param}"`} is not valid: ${issue.message}`,
  });
}

function renderPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
