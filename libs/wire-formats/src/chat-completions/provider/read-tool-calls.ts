import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { asList, asNumber, isObject, optional } from '../../json/read-members.ts';
import { withOwn } from '../own-extensions.ts';
import { readToolCall, type RawToolCall } from '../tool-call.ts';
import { chainSteps, endOpenBlock, type ChoiceStep, type ReadStep } from './choice-step.ts';
import type { CallState, ChoiceState } from './stream-state.ts';

/** Calls in one choice of one answer: as many as a request may have tools. */
const callsMax = 4096;

export const readToolCalls: ReadStep = (state, { message, whole }) =>
  chainSteps(
    state,
    asList(message.tool_calls)
      .filter(isObject)
      .map((raw) => (current: ChoiceState) => {
        const { index, ...members } = raw;
        // In a plain answer the number is decoration; between pieces it says which call goes on.
        const piece = readToolCall(whole ? raw : members);
        const call = whole ? undefined : findCall(current.calls, asNumber(index), piece);
        return call === undefined
          ? startCall(current, asNumber(index), piece)
          : continueCall(current, call, piece);
      }),
  );

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

function startCall(state: ChoiceState, position: number | undefined, piece: RawToolCall): ChoiceStep {
  if (state.calls.length >= callsMax)
    throw new GatewayError('upstream_invalid', { detail: 'too many tool calls' });
  const [closed, ends] = endOpenBlock(state);
  const block = closed.nextBlock;
  const { id, name, kind, signature, own } = piece;
  const call: CallState = { position: position ?? state.calls.length, id: id === '' ? undefined : id, block };
  const start: StreamEvent = {
    type: 'tool-call-start',
    choice: state.index,
    block,
    id: id ?? '',
    name: name ?? '',
    kind,
    ...optional('signature', signature),
    ...withOwn(own),
  };
  return [
    { ...closed, nextBlock: block + 1, calls: [...closed.calls, call] },
    [...ends, start, ...tellArguments(state, block, piece)],
  ];
}

function continueCall(state: ChoiceState, call: CallState, piece: RawToolCall): ChoiceStep {
  return [state, tellArguments(state, call.block, piece)];
}

function tellArguments(state: ChoiceState, block: number, { argumentsText }: RawToolCall): StreamEvent[] {
  return argumentsText === '' ? [] : [{ type: 'tool-call-delta', choice: state.index, block, argumentsText }];
}
