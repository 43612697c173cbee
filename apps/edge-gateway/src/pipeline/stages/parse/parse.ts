import { GatewayError } from '@gateway/errors';
import {
  formatNamed,
  JsonDepthError,
  JsonFieldsError,
  JsonSyntaxError,
  JsonValuesError,
  scanJson,
  type JsonTape,
  type ScanPoint,
} from '@gateway/wire-formats';
import { malformedJson, readBody, requireJson } from '../../../request/read-body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { letOthersRun } from '../../../admission/admission.ts';
import { isLarge, readOwnCredential, requireBalancedToolCalls } from '../../../request/request-facts.ts';
import { Conversation } from '../../../request/conversation.ts';
import { KnownBodies } from '../../../request/known-messages.ts';
import { checkSessionId, readBodySessionId } from '../../../request/session-id.ts';
import type { ParsedRequest } from '../../../request/request.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import { toolsMax } from '../../../tool-lists/tool-members.ts';

interface ParseServices {
  readonly settings: PipelineSettings;
  readonly knownBodies: KnownBodies;
}

/** Maximum nesting depth of a request body. */
const depthMax = 128;

/**
 * Maximum number of JSON values and keys in a request body. A body with the maximum number has about a million
 * tokens, because each value or key takes two tokens with the comma after it. The position of each JSON value takes
 * 12 bytes of memory, even if the value has fewer bytes in the body. A JSON value that the gateway parses takes up
 * to ten times its length in memory.
 */
const valuesMax = 524_288;

/**
 * Maximum number of fields of one object in a request body. With more fields, it would be slow to look up several
 * fields in one object.
 */
const fieldsMax = 16_384;

/**
 * The estimated memory for a request body, as a multiple of its length. The estimated memory includes the received
 * bytes, the edited bytes, and temporary strings and copies. `npm run test:faults -- held-bytes` checks that the
 * memory factor keeps the process within its memory limit.
 */
export const bodyMemoryFactor = 3;

/**
 * Number of bytes that Node reads in one socket read. The body of a short request, up to this size, arrives
 * together with its headers.
 */
const bytesAtHand = 64 * 1024;

/**
 * Starts parsing a short body, which has arrived with its headers, while Redis counts the request. Returns
 * undefined for a long body, which is read after Redis has counted the request.
 */
export function parseAtHand(exchange: Exchange, services: ParseServices): Promise<ParsedRequest> | undefined {
  const declared = Number(exchange.request.headers['content-length'] ?? Number.NaN);
  if (!(declared <= bytesAtHand)) return undefined;
  const parsing = parse(exchange, services);
  // The empty handler prevents an unhandled rejection before the request is admitted.
  parsing.catch(() => undefined);
  return parsing;
}

/**
 * Parses the request body in one pass. The parser rejects invalid JSON and invalid values in the fields that the
 * gateway uses. Fields that the gateway does not use are validated by the provider.
 */
export async function parse(exchange: Exchange, services: ParseServices): Promise<ParsedRequest> {
  checkSessionId(exchange.request.headers);
  requireJson(exchange.request);
  const held = exchange.turn?.memory;
  const bytes = await readBody(exchange.request, services.settings.bodyBytesMax, (length) =>
    held?.add(length * bodyMemoryFactor),
  );
  return parseBytes(bytes, exchange, services.knownBodies);
}

/**
 * Parses a body that is in memory.
 * @param bodies earlier bodies. The start of the body is not scanned again if an earlier body starts the same.
 */
export async function parseBytes(
  bytes: Buffer,
  exchange: Exchange,
  bodies = new KnownBodies(),
): Promise<ParsedRequest> {
  const compared = bodies.compare(exchange.turn?.accountId ?? '', exchange.format, bytes);
  const tape = scanBody(bytes, compared.earlier?.point);
  exchange.turn?.memory.add(tape.memoryBytes);
  if (isLarge(bytes)) await letOthersRun(exchange);
  const outline = formatNamed(exchange.format).client.outlineRequest(tape, exchange.route);
  if (isLarge(bytes)) await letOthersRun(exchange);
  if (outline.tools.length > toolsMax) throw new GatewayError('too_many_tools', { param: 'tools' });
  const { toolChoice } = outline;
  if (toolChoice.mode === 'allowed' && toolChoice.names.length > toolsMax)
    throw new GatewayError('too_many_tools', { param: 'tool_choice' });
  // With the Responses API, the provider validates all items, and may have stored the missing tool calls.
  if (exchange.format !== 'responses') requireBalancedToolCalls(outline);
  exchange.ledger.requestedModel = outline.model;
  exchange.ledger.stream = outline.stream;
  exchange.ledger.agentSessionId ??= readBodySessionId(tape);
  // Only two client formats accept a credential in the body.
  const takesCredential = exchange.format === 'chat-completions' || exchange.format === 'responses';
  const ownCredential = takesCredential ? readOwnCredential(tape) : null;
  const conversation = new Conversation(outline, bytes, exchange.sessionId);
  const known = bodies.remember(compared, tape, outline.messages);
  return { bytes, tape, outline, conversation, ownCredential, known };
}

/**
 * @param from a position up to which the body is known to be valid
 * @throws GatewayError `too_deep` if the JSON in the body is nested too deeply.
 * @throws GatewayError `malformed_json` if the body is not valid JSON.
 * @throws GatewayError `request_too_large` if the body has too many values or fields
 */
export function scanBody(bytes: Buffer, from?: ScanPoint): JsonTape {
  try {
    return scanJson(bytes, { depthMax, valuesMax, fieldsMax }, from);
  } catch (error) {
    if (error instanceof JsonDepthError) throw new GatewayError('too_deep');
    if (error instanceof JsonValuesError) {
      const message = `The body has more than ${valuesMax} JSON values and keys. Send fewer.`;
      throw new GatewayError('request_too_large', { message });
    }
    if (error instanceof JsonFieldsError) {
      const message = `An object in the body has more than ${fieldsMax} fields. Send fewer.`;
      throw new GatewayError('request_too_large', { message });
    }
    if (error instanceof JsonSyntaxError) throw malformedJson(bytes, error.offset);
    throw error;
  }
}
