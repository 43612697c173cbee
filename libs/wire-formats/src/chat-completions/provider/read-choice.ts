import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { GatewayError } from '@gateway/errors';
import {
  asList,
  asNumber,
  asText,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { mapFinishReason } from '../shared/finish-reasons.ts';
import { ownExtensions, withOwn } from '../shared/own-members.ts';
import type { ChoicePiece, ReadStep, CallState, ChoiceState } from './stream-state.ts';
import { endOpenBlock } from './stream-state.ts';
import { findReasoning, readContent, readReasoning, readRefusal, reasoningFields } from './read-content.ts';
import type { RawToolCall } from '../shared/tools.ts';
import { readToolCall } from '../shared/tools.ts';

/** Maximum number of tool calls per choice, equal to the maximum number of tools in a request. */
const callsMax = 4096;

const readToolCalls: ReadStep = (state, { message, whole }, events) => {
  let current = state;
  for (const raw of asList(message.tool_calls)) {
    if (!isObject(raw)) continue;
    const { index, ...members } = raw;
    // In a stream, the index identifies the tool call that a delta continues.
    // In a non-streaming response, a tool call's index has no meaning.
    const piece = readToolCall(whole ? raw : members);
    const call = whole ? undefined : findCall(current.calls, asNumber(index), piece);
    if (call === undefined) current = startCall(current, asNumber(index), piece, events);
    else addArguments(current, call.block, piece, events);
  }
  return current;
};

/** Finds the tool call that a delta continues. Returns undefined if the delta starts a new tool call. */
function findCall(
  calls: readonly CallState[],
  position: number | undefined,
  piece: RawToolCall,
): CallState | undefined {
  const isNew = (call: CallState) => (piece.id ?? '') !== '' && call.id !== undefined && call.id !== piece.id;
  // Google's endpoint sends index 0 for every tool call, so only the ids distinguish the tool calls.
  // Mistral sends no tool call index.
  const call =
    position === undefined ? calls.at(-1) : calls.findLast((candidate) => candidate.position === position);
  return call === undefined || isNew(call) ? undefined : call;
}

function startCall(
  state: ChoiceState,
  position: number | undefined,
  piece: RawToolCall,
  events: StreamEvent[],
): ChoiceState {
  if (state.calls.length >= callsMax)
    throw new GatewayError('upstream_invalid', { detail: 'too many tool calls' });
  const closed = endOpenBlock(state, events);
  const block = closed.nextBlock;
  const { id, name, kind, signature, own } = piece;
  const call: CallState = { position: position ?? state.calls.length, id: id === '' ? undefined : id, block };
  events.push({
    type: 'tool-call-start',
    choice: state.index,
    block,
    id: id ?? '',
    name: name ?? '',
    kind,
    ...optional('signature', signature),
    ...withOwn(own),
  });
  addArguments(state, block, piece, events);
  return { ...closed, nextBlock: block + 1, calls: [...closed.calls, call] };
}

function addArguments(
  { index }: ChoiceState,
  block: number,
  { argumentsText }: RawToolCall,
  events: StreamEvent[],
): void {
  if (argumentsText !== '') events.push({ type: 'tool-call-delta', choice: index, block, argumentsText });
}

/**
 * The readers, in the order in which a model produces thinking, content, a refusal, tool calls and the finish
 * reason.
 */
const steps: readonly ReadStep[] = [
  readReasoning,
  readContent,
  readRefusal,
  readToolCalls,
  readMessageExtensions,
  readChoiceExtensions,
  readFinish,
];

const readOfPiece = ['index', 'finish_reason', 'delta'] as const;
const readOfWhole = ['index', 'finish_reason', 'message'] as const;
const readOfMessage = ['role', 'content', 'tool_calls'] as const;

/** Reads one chunk of a choice, which contains either a `delta` or a complete `message`. */
export const readChoice: ReadStep = (state, piece, events) => {
  let current = state;
  for (const step of steps) current = step(current, piece, events);
  return current;
};

/** Ends all open blocks of a choice. */
export function endBlocks(state: ChoiceState, events: StreamEvent[]): ChoiceState {
  const closed = endOpenBlock(state, events);
  if (closed.calls.length === 0) return closed;
  for (const { block } of closed.calls) events.push({ type: 'tool-call-end', choice: state.index, block });
  return { ...closed, calls: [] };
}

function readFinish(state: ChoiceState, { choice }: ChoicePiece, events: StreamEvent[]): ChoiceState {
  const rawReason = asText(choice.finish_reason);
  // Some providers repeat the finish reason in a later chunk.
  if (rawReason === undefined || state.finished) return state;
  const closed = endBlocks(state, events);
  const reason = mapFinishReason(rawReason, state.calls.length > 0);
  events.push({ type: 'finish', choice: state.index, reason, rawReason });
  return { ...closed, finished: true };
}

function readMessageExtensions(
  state: ChoiceState,
  { message }: ChoicePiece,
  events: StreamEvent[],
): ChoiceState {
  const rest = otherMembers(message, readOfMessage);
  if (isEmpty(rest)) return state;
  const field = findReasoning(message);
  const read: string[] = reasoningFields.filter((name) => name === field || message[name] === '');
  if (typeof message.refusal === 'string') read.push('refusal');
  return addExtensions(state, 'message', otherMembers(rest, read), events);
}

function readChoiceExtensions(
  state: ChoiceState,
  { choice, whole }: ChoicePiece,
  events: StreamEvent[],
): ChoiceState {
  return addExtensions(state, 'choice', otherMembers(choice, whole ? readOfWhole : readOfPiece), events);
}

function addExtensions(
  state: ChoiceState,
  scope: 'choice' | 'message',
  rest: JsonObject,
  events: StreamEvent[],
): ChoiceState {
  if (!isEmpty(rest))
    events.push({ type: 'extension', scope, choice: state.index, extensions: ownExtensions(rest) });
  return state;
}
