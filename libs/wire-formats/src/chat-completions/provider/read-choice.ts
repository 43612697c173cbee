import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asText, isEmpty, otherMembers } from '../../json/read-members.ts';
import { mapFinishReason } from '../finish-reasons.ts';
import { ownExtensions } from '../own-extensions.ts';
import { endOpenBlock, type ChoicePiece, type ChoiceStep, type ReadStep } from './choice-step.ts';
import { findReasoning, readContent, readReasoning, readRefusal, reasoningFields } from './read-content.ts';
import { readToolCalls } from './read-tool-calls.ts';
import type { ChoiceState } from './stream-state.ts';

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

/** Reads a piece of a choice, a `delta` or a whole `message`. */
export function readChoice(state: ChoiceState, piece: ChoicePiece): ChoiceStep {
  let current = state;
  const told: StreamEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(current, piece);
    current = next;
    // Not `push(...events)`: an answer may have more events than a call may have arguments.
    for (const event of events) told.push(event);
  }
  return [current, told];
}

/** Ends what is still open. */
export function endBlocks(state: ChoiceState): ChoiceStep {
  const [closed, ends] = endOpenBlock(state);
  const callEnds = closed.calls.map(({ block }): StreamEvent => ({
    type: 'tool-call-end',
    choice: state.index,
    block,
  }));
  return [{ ...closed, calls: [] }, [...ends, ...callEnds]];
}

function readFinish(state: ChoiceState, { choice }: ChoicePiece): ChoiceStep {
  const rawReason = asText(choice.finish_reason);
  // Some providers say it again in a later chunk.
  if (rawReason === undefined || state.finished) return [state, []];
  const [closed, ends] = endBlocks(state);
  const finish: StreamEvent = {
    type: 'finish',
    choice: state.index,
    reason: mapFinishReason(rawReason),
    rawReason,
  };
  return [{ ...closed, finished: true }, [...ends, finish]];
}

function readMessageExtensions(state: ChoiceState, { message }: ChoicePiece): ChoiceStep {
  const field = findReasoning(message);
  const isRead = (name: string) => name === field || message[name] === '';
  const read = ['role', 'content', 'tool_calls', ...reasoningFields.filter(isRead)];
  const rest = otherMembers(message, typeof message.refusal === 'string' ? [...read, 'refusal'] : read);
  return tellExtensions(state, 'message', rest);
}

function readChoiceExtensions(state: ChoiceState, { choice, whole }: ChoicePiece): ChoiceStep {
  const rest = otherMembers(choice, ['index', 'finish_reason', whole ? 'message' : 'delta']);
  return tellExtensions(state, 'choice', rest);
}

function tellExtensions(state: ChoiceState, scope: 'choice' | 'message', rest: JsonObject): ChoiceStep {
  if (isEmpty(rest)) return [state, []];
  return [state, [{ type: 'extension', scope, choice: state.index, extensions: ownExtensions(rest) }]];
}
