import { GatewayError } from '@gateway/errors';
import type { RequestOutline } from '@gateway/interchange';
import { formatNamed, JsonDepthError, JsonSyntaxError, scanJson, type JsonTape } from '@gateway/wire-formats';
import { readBody, requireJson } from '../../../request/read-body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { readOwnCredential } from '../../../request/request-facts.ts';
import { Conversation } from '../../../request/conversation.ts';
import type { ParsedRequest } from '../../../request/request.ts';
import type { PipelineSettings } from '../../../request/settings.ts';

/** How deep a body may be nested. */
const depthMax = 128;

/** How many tools a request may offer; a plan ranks each of them. */
const toolsMax = 4096;

/** What Node has read of a small request with its head, whether or not anybody asks for it: one read of a socket. */
const bytesAtHand = 64 * 1024;

/**
 * The same, begun before the caller is known to have room, for a body that is at hand anyway: it is parsed while Redis
 * counts the request. Undefined for one that would have to be held for that.
 */
export function parseAtHand(
  exchange: Exchange,
  services: { settings: PipelineSettings },
): Promise<ParsedRequest> | undefined {
  const declared = Number(exchange.request.headers['content-length'] ?? Number.NaN);
  if (!(declared <= bytesAtHand)) return undefined;
  const parsing = parse(exchange, services);
  // Awaited once the caller has room: until then a rejection must not count as unheard.
  parsing.catch(() => undefined);
  return parsing;
}

/** Reads the body in one pass. Strict on JSON and on the fields that the gateway reads; the rest is the provider's. */
export async function parse(
  exchange: Exchange,
  services: { settings: PipelineSettings },
): Promise<ParsedRequest> {
  requireJson(exchange.request);
  const bytes = await readBody(exchange.request, services.settings.bodyBytesMax);
  const tape = scanBody(bytes);
  const outline = formatNamed(exchange.format).client.outlineRequest(tape, exchange.route);
  if (outline.tools.length > toolsMax) throw new GatewayError('too_many_tools', { param: 'tools' });
  requireBalancedToolCalls(outline);
  exchange.ledger.requestedModel = outline.model;
  exchange.ledger.stream = outline.stream;
  // The other formats refuse these fields as unknown.
  const ownCredential = exchange.format === 'chat-completions' ? readOwnCredential(tape) : null;
  const conversation = new Conversation(outline, bytes, exchange.sessionId);
  return { bytes, tape, outline, conversation, ownCredential };
}

/** Throws `too_deep`, `malformed_json`. */
export function scanBody(bytes: Buffer): JsonTape {
  try {
    return scanJson(bytes, { depthMax });
  } catch (error) {
    if (error instanceof JsonDepthError) throw new GatewayError('too_deep');
    if (error instanceof JsonSyntaxError) {
      throw new GatewayError('malformed_json', {
        message: `The body is not valid JSON (at byte ${error.offset}).`,
      });
    }
    throw error;
  }
}

/** Every result answers an earlier call, and every call is answered before the conversation goes on. */
function requireBalancedToolCalls({ messages }: RequestOutline): void {
  const called = new Set<string>();
  const open = new Set<string>();
  for (const message of messages) {
    for (const id of message.toolResultIds) {
      if (!called.has(id))
        throw unbalanced(message.index, `answers the tool call "${id}", which no earlier message makes`);
      open.delete(id);
    }
    const [unanswered] = open;
    if (unanswered !== undefined && message.toolResultIds.length === 0) {
      throw unbalanced(message.index, `comes before the result of the tool call "${unanswered}"`);
    }
    for (const call of message.toolCalls) {
      called.add(call.id);
      open.add(call.id);
    }
  }
}

function unbalanced(index: number, what: string): GatewayError {
  const param = `messages[${index}]`;
  return new GatewayError('unbalanced_tool_calls', { param, message: `${param} ${what}.` });
}
