import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asText, isEmpty, otherMembers } from '../../json/read-members.ts';
import { mapFinishReason } from '../finish-reasons.ts';
import { ownExtensions } from '../own-extensions.ts';
import { endOpenBlock, type ChoicePiece, type ReadStep } from './choice-step.ts';
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
