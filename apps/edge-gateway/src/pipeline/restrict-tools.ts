import { applyEdits, formatNamed, scanJson } from '@gateway/wire-formats';
import { Conversation } from '../request/conversation.ts';
import type { ParsedRequest } from '../request/request.ts';
import type { Exchange } from './exchange/exchange.ts';
import { restrictBody } from '../tool-lists/restrict-body.ts';
import { ambiguousTools } from '../tool-lists/tool-members.ts';
import { permissionOf, type ToolLists } from '../tool-lists/tool-permission.ts';

/**
 * Maximum nesting depth of the request body. Removing tools never increases the depth, so the body is checked only
 * once.
 */
const depthMax = 128;

/**
 * Applies the API key's tool lists to a chat request. All later stages see a request without the tools that the
 * key may not use. Returns the request unchanged if the key has no tool lists or no tool must be removed.
 * @throws GatewayError `tool_not_allowed` if `tool_choice` forces a tool that the API key may not use. Throws
 * `ambiguous_tools` if two JSON parsers could read different tools from the request.
 */
export function restrictTools(request: ParsedRequest, exchange: Exchange, caller: ToolLists): ParsedRequest {
  const permission = permissionOf(caller);
  if (permission === null) return request;
  const { format, route, sessionId } = exchange;
  const { client } = formatNamed(format);
  requireNoPromptResource(route?.model);
  const edits = restrictBody(request.tape, permission);
  exchange.toolGuard = {
    permission,
    streamsUsage: client.requestsStreamedUsage(request.tape),
    toolsOffered: request.outline.tools.length,
    isRestricted: edits.length > 0,
  };
  if (edits.length === 0) return request;
  const bytes = Buffer.from(applyEdits(request.bytes, edits));
  const tape = scanJson(bytes, { depthMax });
  const outline = client.outlineRequest(tape, route);
  const conversation = new Conversation(outline, bytes, sessionId);
  return { ...request, bytes, tape, outline, conversation, known: undefined };
}

/** A prompt from Amazon Bedrock's prompt management may define tools that the gateway cannot see. */
function requireNoPromptResource(model: string | undefined): void {
  if (model === undefined || !/^([a-z]+\/)?arn:[^/]*:prompt\//i.test(model)) return;
  throw ambiguousTools('modelId', 'is a stored prompt, which may have tools of its own. Send a model id.');
}
