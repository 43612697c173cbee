import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { asList, asNumber, isObject, optional } from '../../json/read-members.ts';
import { withOwn } from '../own-extensions.ts';
import { readToolCall, type RawToolCall } from '../tool-call.ts';
import { endOpenBlock, type ReadStep } from './choice-step.ts';
import type { CallState, ChoiceState } from './stream-state.ts';

/** Calls in one choice of one answer: as many as a request may have tools. */
const callsMax = 4096;

export const readToolCalls: ReadStep = (state, { message, whole }, told) => {
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
