import { GatewayError } from '@gateway/errors';
import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { createCallId } from '../call-id.ts';
import { camelMembers } from '../camel-members.ts';
import { own } from '../own.ts';
import { chainSteps, endCall, endOpen, type CandidateStep } from './candidate-step.ts';
import { addPartialArg } from './partial-args.ts';
import type { CandidateState } from './stream-state.ts';

/** Calls in one candidate of one answer: as many as a request may have tools. */
const callsMax = 4096;

/** A call, or, while one is open, more of its arguments. `part` has its names in camel case. */
export function readCall(state: CandidateState, part: JsonObject): CandidateStep {
  const call = camelMembers(asObject(part.functionCall) ?? {});
  const goesOn = state.openCall !== undefined && call.name === undefined;
  const isLast = call.willContinue !== true;
  return chainSteps(state, [
    goesOn ? (current) => [current, []] : (current) => startCall(current, call, part),
    (current) => addArguments(current, call),
    isLast ? endCall : (current) => [current, []],
  ]);
}

function startCall(state: CandidateState, call: JsonObject, part: JsonObject): CandidateStep {
  if (state.callCount >= callsMax)
    throw new GatewayError('upstream_invalid', { detail: 'too many tool calls' });
  const [closed, ends] = endOpen(state);
  const block = closed.nextBlock;
  const name = asText(call.name) ?? '';
  const start: StreamEvent = {
    type: 'tool-call-start',
    choice: state.index,
    block,
    id: asText(call.id) ?? createCallId(`${state.answerId} ${state.index} ${state.callCount}`, name),
    name,
    kind: 'function',
    ...optional('signature', asText(part.thoughtSignature)),
    ...own.with({
      ...otherMembers(part, ['functionCall', 'thoughtSignature']),
      ...optional('functionCall', otherMembers(call, ['id', 'name', 'args', 'partialArgs', 'willContinue'])),
    }),
  };
  const next = {
    ...closed,
    nextBlock: block + 1,
    callCount: state.callCount + 1,
    openCall: { block, args: {} },
  };
  return [next, [...ends, start]];
}

/** Arguments are told when they are whole: a place among them can still change before. */
function addArguments(state: CandidateState, call: JsonObject): CandidateStep {
  if (state.openCall === undefined) return [state, []];
  const whole = asObject(call.args);
  const args = whole === undefined ? state.openCall.args : { ...state.openCall.args, ...whole };
  for (const piece of asList(call.partialArgs)) if (isObject(piece)) addPartialArg(args, piece);
  return [{ ...state, openCall: { ...state.openCall, args } }, []];
}
