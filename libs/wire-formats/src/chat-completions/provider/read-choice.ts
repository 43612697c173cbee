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

/** Calls in one choice of one answer: as many as a request may have tools. */
const callsMax = 4096;

const readToolCalls: ReadStep = (state, { message, whole }, told) => {
  let current = state;
  for (const raw of asList(message.tool_calls)) {
    if (!isObject(raw)) continue;
    const { index, ...members } = raw;
    // In a plain answer the number is decoration; between pieces it says which call goes on.
    const piece = readToolCall(whole ? raw : members);
    const call = whole ? undefined : findCall(current.calls, asNumber(index), piece);
    if (call === undefined) current = startCall(current, asNumber(index), piece, told);
    else tellArguments(current, call.block, piece, told);
  }
  return current;
};

/** The call that a piece belongs to. Undefined: it starts one. */
function findCall(
  calls: readonly CallState[],
  position: number | undefined,
  piece: RawToolCall,
): CallState | undefined {
  const isNew = (call: CallState) => (piece.id ?? '') !== '' && call.id !== undefined && call.id !== piece.id;
  // Google's endpoint numbers every call 0, and tells them apart by id alone; Mistral's leaves the number out.
  const call =
    position === undefined ? calls.at(-1) : calls.findLast((candidate) => candidate.position === position);
  return call === undefined || isNew(call) ? undefined : call;
}

function startCall(
  state: ChoiceState,
  position: number | undefined,
  piece: RawToolCall,
  told: StreamEvent[],
): ChoiceState {
  if (state.calls.length >= callsMax)
    throw new GatewayError('upstream_invalid', { detail: 'too many tool calls' });
  const closed = endOpenBlock(state, told);
  const block = closed.nextBlock;
  const { id, name, kind, signature, own } = piece;
  const call: CallState = { position: position ?? state.calls.length, id: id === '' ? undefined : id, block };
  told.push({
    type: 'tool-call-start',
    choice: state.index,
    block,
    id: id ?? '',
    name: name ?? '',
    kind,
    ...optional('signature', signature),
    ...withOwn(own),
  });
  tellArguments(state, block, piece, told);
  return { ...closed, nextBlock: block + 1, calls: [...closed.calls, call] };
}

function tellArguments(
  { index }: ChoiceState,
  block: number,
  { argumentsText }: RawToolCall,
  told: StreamEvent[],
): void {
  if (argumentsText !== '') told.push({ type: 'tool-call-delta', choice: index, block, argumentsText });
}

/** In the order of a message's own reading: what was thought, what was said, what is called, and how it ended. */
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

/** Reads a piece of a choice, a `delta` or a whole `message`. */
export const readChoice: ReadStep = (state, piece, told) => {
  let current = state;
  for (const step of steps) current = step(current, piece, told);
  return current;
};

/** Ends what is still open. */
export function endBlocks(state: ChoiceState, told: StreamEvent[]): ChoiceState {
  const closed = endOpenBlock(state, told);
  if (closed.calls.length === 0) return closed;
  for (const { block } of closed.calls) told.push({ type: 'tool-call-end', choice: state.index, block });
  return { ...closed, calls: [] };
}

function readFinish(state: ChoiceState, { choice }: ChoicePiece, told: StreamEvent[]): ChoiceState {
  const rawReason = asText(choice.finish_reason);
  // Some providers say it again in a later chunk.
  if (rawReason === undefined || state.finished) return state;
  const closed = endBlocks(state, told);
  const reason = mapFinishReason(rawReason, state.calls.length > 0);
  told.push({ type: 'finish', choice: state.index, reason, rawReason });
  return { ...closed, finished: true };
}

function readMessageExtensions(
  state: ChoiceState,
  { message }: ChoicePiece,
  told: StreamEvent[],
): ChoiceState {
  const rest = otherMembers(message, readOfMessage);
  if (isEmpty(rest)) return state;
  const field = findReasoning(message);
  const read: string[] = reasoningFields.filter((name) => name === field || message[name] === '');
  if (typeof message.refusal === 'string') read.push('refusal');
  return tellExtensions(state, 'message', otherMembers(rest, read), told);
}

function readChoiceExtensions(
  state: ChoiceState,
  { choice, whole }: ChoicePiece,
  told: StreamEvent[],
): ChoiceState {
  return tellExtensions(state, 'choice', otherMembers(choice, whole ? readOfWhole : readOfPiece), told);
}

function tellExtensions(
  state: ChoiceState,
  scope: 'choice' | 'message',
  rest: JsonObject,
  told: StreamEvent[],
): ChoiceState {
  if (!isEmpty(rest))
    told.push({ type: 'extension', scope, choice: state.index, extensions: ownExtensions(rest) });
  return state;
}
