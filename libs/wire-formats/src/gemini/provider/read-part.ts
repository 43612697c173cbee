import type { JsonObject } from '@gateway/interchange';
import { asText, isEmpty, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { camelMembers } from '../camel-members.ts';
import { own } from '../own.ts';
import { parseMediaPart } from '../parse-media.ts';
import { addPart, addText, chainSteps, endOpen, sealText, type CandidateStep } from './candidate-step.ts';
import { readCall } from './read-call.ts';
import type { CandidateState } from './stream-state.ts';

/** A part of a candidate's content. With `whole` each is a block of its own; else text goes on from chunk to chunk. */
export function readPart(state: CandidateState, raw: unknown, whole: boolean): CandidateStep {
  const part = isObject(raw) ? camelMembers(raw) : {};
  if (typeof part.text === 'string') return readText(state, part, part.text, whole);
  if (isObject(part.functionCall)) return readCall(state, part);
  return addPart(state, parseMediaPart(part) ?? { type: 'opaque', extensions: own.of({ part: raw }) });
}

function readText(state: CandidateState, part: JsonObject, text: string, whole: boolean): CandidateStep {
  const kind = part.thought === true ? 'thinking' : 'text';
  const signature = asText(part.thoughtSignature);
  const rest = otherMembers(part, ['text', 'thought', 'thoughtSignature']);
  // A signature is of its part: nothing may be added to the part, or it would not be the one that was signed.
  const isApart = signature !== undefined || !isEmpty(rest);
  if (text === '' && isApart) return addPart(state, { type: 'opaque', extensions: own.of({ part }) });
  if (text === '' && !whole) return [state, []];
  if (!isApart) return chainSteps(state, [whole ? endOpen : keep, (current) => addText(current, kind, text)]);
  const members = kind === 'text' ? { ...rest, ...optional('thoughtSignature', signature) } : rest;
  return chainSteps(state, [
    endOpen,
    (current) => addText(current, kind, text, own.with(members)),
    (current) => (kind === 'thinking' ? endSigned(current, signature) : sealText(current)),
  ]);
}

function keep(state: CandidateState): CandidateStep {
  return [state, []];
}

function endSigned(state: CandidateState, signature: string | undefined): CandidateStep {
  const [closed, ends] = endOpen(state);
  return [
    closed,
    ends.map((event) =>
      event.type === 'thinking-end' ? { ...event, ...optional('signature', signature) } : event,
    ),
  ];
}
