import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { parseCitation } from '../shared/citations.ts';
import { chainSteps } from '../../common/stream-step.ts';
import { own } from '../shared/own-members.ts';
import { readInitialInput, readOwnMembers } from '../shared/tools.ts';
import type { OpenBlock, StreamState, StreamStep } from './stream-state.ts';
import { membersMax, setBlock } from './stream-state.ts';
import { parseExactJson } from '../../json/parse-json.ts';

/** Maximum number of open blocks. Anthropic opens one block at a time, but the block indexes allow more. */
const openBlocksMax = 256;

/**
 * Reads the start of a block. The initial content is emitted as the first delta, so this function can also
 * read a complete block.
 */
export function startBlock(state: StreamState, index: number, raw: JsonObject): StreamStep {
  if (state.open.size >= openBlocksMax)
    throw new GatewayError('upstream_invalid', { detail: 'the stream has too many open blocks' });
  const [closed, ends] = endOpaqueBlocks(state);
  const [opened, events] = openBlock(closed.nextBlock, raw);
  const next = setBlock({ ...closed, nextBlock: closed.nextBlock + 1 }, index, opened);
  return [next, ends.length === 0 ? events : [...ends, ...events]];
}

/**
 * Ends the open blocks of server-side tools. Some providers omit the stop event of a server-side tool's
 * block. The end of the block must be sent before the next block starts.
 */
function endOpaqueBlocks(state: StreamState): StreamStep {
  const opaque = [...state.open].filter(([, { kind }]) => kind === 'opaque');
  if (opaque.length === 0) return [state, []];
  return chainSteps(
    state,
    opaque.map(
      ([index]) =>
        (current) =>
          endBlock(current, index),
    ),
  );
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

/** Maximum number of characters in a server tool's input, which is buffered until the block ends. */
const inputCharactersMax = 1_048_576;

/** Reads a delta. Deltas with unknown types are skipped, except in opaque blocks, which keep all deltas. */
export function continueBlock(state: StreamState, index: number, delta: JsonObject): StreamStep {
  const open = state.open.get(index);
  if (open === undefined)
    throw new GatewayError('upstream_invalid', { detail: 'a delta belongs to a block that is not open' });
  if (open.kind === 'opaque') return [setBlock(state, index, addToOpaque(open, delta)), []];
  const signature = asText(delta.signature);
  if (delta.type === 'signature_delta' && open.kind === 'thinking' && signature !== undefined) {
    return [setBlock(state, index, { ...open, signature }), []];
  }
  const events = readDelta(open, delta);
  const isFirstInput = open.kind === 'tool-call' && !open.hasInput && events.length > 0;
  return [isFirstInput ? setBlock(state, index, { ...open, hasInput: true }) : state, events];
}

function readDelta({ kind, block }: OpenBlock, delta: JsonObject): StreamEvent[] {
  const place = { choice: 0, block };
  const text = asText(delta.text) ?? asText(delta.thinking) ?? asText(delta.partial_json) ?? '';
  const citation = asObject(delta.citation);
  if (delta.type === 'citations_delta' && kind === 'text' && citation !== undefined) {
    return [{ type: 'citation', ...place, citation: parseCitation(citation) }];
  }
  if (text === '') return [];
  if (delta.type === 'text_delta' && kind === 'text') return [{ type: 'text-delta', ...place, text }];
  if (delta.type === 'thinking_delta' && kind === 'thinking')
    return [{ type: 'thinking-delta', ...place, text }];
  if (delta.type === 'input_json_delta' && kind === 'tool-call')
    return [{ type: 'tool-call-delta', ...place, argumentsText: text }];
  return [];
}

type OpaqueBlock = Extract<OpenBlock, { kind: 'opaque' }>;

/** Appends an input delta. The fields of any other delta replace the block's fields with the same names. */
function addToOpaque(open: OpaqueBlock, delta: JsonObject): OpaqueBlock {
  const { type, partial_json: json } = delta;
  if (type !== 'input_json_delta') {
    const raw = { ...open.raw, ...otherMembers(delta, ['type']) };
    if (Object.keys(raw).length > membersMax)
      throw new GatewayError('upstream_invalid', { detail: 'a block has too many fields' });
    return { ...open, raw };
  }
  const inputText = open.inputText + (asText(json) ?? '');
  if (inputText.length > inputCharactersMax)
    throw new GatewayError('upstream_invalid', { detail: 'a block exceeds the size limit' });
  return { ...open, inputText };
}

/** Ends a block. A block that is not open is left unchanged. */
export function endBlock(state: StreamState, index: number): StreamStep {
  const open = state.open.get(index);
  return open === undefined ? [state, []] : [setBlock(state, index, undefined), listEndEvents(open)];
}

export function endOpenBlocks(state: StreamState): StreamStep {
  return [{ ...state, open: new Map() }, [...state.open.values()].flatMap(listEndEvents)];
}

function listEndEvents(open: OpenBlock): StreamEvent[] {
  const place = { choice: 0, block: open.block };
  switch (open.kind) {
    case 'text':
      return [{ type: 'text-end', ...place }];
    case 'tool-call':
      // No input is streamed for a tool call without arguments.
      // An empty object is emitted, because clients parse tool call arguments as JSON.
      return [
        ...(open.hasInput ? [] : [{ type: 'tool-call-delta', ...place, argumentsText: '{}' } as const]),
        { type: 'tool-call-end', ...place },
      ];
    case 'thinking': {
      const { signature, redacted } = open;
      const signed = signature === undefined ? {} : { signature };
      return [{ type: 'thinking-end', ...place, ...signed, ...(redacted === undefined ? {} : { redacted }) }];
    }
    case 'opaque': {
      const extensions = own.of({ block: completeOpaque(open) });
      return [{ type: 'part', ...place, part: { type: 'opaque', extensions } }];
    }
  }
}

function completeOpaque({ raw, inputText }: OpaqueBlock): JsonObject {
  if (inputText === '') return raw;
  try {
    return { ...raw, input: parseExactJson(inputText) };
  } catch (cause) {
    throw new GatewayError('upstream_invalid', { detail: "a server tool's input is not JSON", cause });
  }
}
