import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseCitation } from '../citation.ts';
import { own } from '../own.ts';
import { readInitialInput, readOwnMembers } from '../tool-use.ts';
import { setBlock, type OpenBlock, type StreamState, type StreamStep } from './stream-state.ts';

/** Blocks that are open at once: Anthropic has one, and numbers them so that there may be more. */
const openBlocksMax = 256;

/** A block's start. What it holds already is told as its first delta, so that a whole block may stand here too. */
export function startBlock(state: StreamState, index: number, raw: JsonObject): StreamStep {
  if (state.open.size >= openBlocksMax)
    throw new GatewayError('upstream_invalid', { detail: 'too many open blocks' });
  const [opened, events] = openBlock(state.nextBlock, raw);
  return [setBlock({ ...state, nextBlock: state.nextBlock + 1 }, index, opened), events];
}

type Opening = readonly [OpenBlock, readonly StreamEvent[]];

function openBlock(block: number, raw: JsonObject): Opening {
  switch (raw.type) {
    case 'text':
      return openText(block, raw);
    case 'thinking':
      return openThinking(block, raw);
    case 'redacted_thinking':
      return openRedactedThinking(block, raw);
    case 'tool_use':
      return openToolUse(block, raw);
    default:
      return [{ kind: 'opaque', block, raw, inputText: '' }, []];
  }
}

function openText(block: number, raw: JsonObject): Opening {
  const place = { choice: 0, block };
  const text = asText(raw.text) ?? '';
  return [
    { kind: 'text', block },
    [
      { type: 'text-start', ...place, ...own.with(otherMembers(raw, ['type', 'text', 'citations'])) },
      ...(text === '' ? [] : [{ type: 'text-delta', ...place, text } as const]),
      ...asList(raw.citations)
        .filter(isObject)
        .map((citation) => ({ type: 'citation', ...place, citation: parseCitation(citation) }) as const),
    ],
  ];
}

function openThinking(block: number, raw: JsonObject): Opening {
  const place = { choice: 0, block };
  const text = asText(raw.thinking) ?? '';
  const rest = otherMembers(raw, ['type', 'thinking', 'signature']);
  const signature = asText(raw.signature);
  return [
    { kind: 'thinking', block, ...optional('signature', signature === '' ? undefined : signature) },
    [
      { type: 'thinking-start', ...place, ...own.with(rest) },
      ...(text === '' ? [] : [{ type: 'thinking-delta', ...place, text } as const]),
    ],
  ];
}

function openRedactedThinking(block: number, raw: JsonObject): Opening {
  const rest = own.with(otherMembers(raw, ['type', 'data']));
  return [
    { kind: 'thinking', block, redacted: asText(raw.data) ?? '' },
    [{ type: 'thinking-start', choice: 0, block, ...rest }],
  ];
}

function openToolUse(block: number, raw: JsonObject): Opening {
  const place = { choice: 0, block };
  const argumentsText = readInitialInput(raw);
  return [
    { kind: 'tool-call', block, hasInput: argumentsText !== undefined },
    [
      {
        type: 'tool-call-start',
        ...place,
        id: asText(raw.id) ?? '',
        name: asText(raw.name) ?? '',
        kind: 'function',
        ...own.with(readOwnMembers(raw)),
      },
      ...(argumentsText === undefined ? [] : [{ type: 'tool-call-delta', ...place, argumentsText } as const]),
    ],
  ];
}
