import type { JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asObject, isEmpty, optional, otherMembers } from '../../json/read-members.ts';
import { camelMembers } from '../camel-members.ts';
import { mapFinishReason } from '../finish-reasons.ts';
import { chainSteps, endOpen, tellExtensions, type CandidateStep } from './candidate-step.ts';
import { parseCitations } from './read-citations.ts';
import { readPart } from './read-part.ts';
import type { CandidateState } from './stream-state.ts';

/** Reads what a chunk says of a candidate. `raw` has its names in camel case. */
export function readCandidate(state: CandidateState, raw: JsonObject, whole: boolean): CandidateStep {
  const content = camelMembers(asObject(raw.content) ?? {});
  return chainSteps(state, [
    ...asList(content.parts).map((part) => (current: CandidateState) => readPart(current, part, whole)),
    (current) => readExtensions(current, raw, content),
    (current) => readCitations(current, raw),
    (current) => readFinish(current, raw),
  ]);
}

function readExtensions(state: CandidateState, raw: JsonObject, content: JsonObject): CandidateStep {
  const rest = otherMembers(raw, ['index', 'content', 'finishReason']);
  const members = { ...rest, ...optional('content', otherMembers(content, ['role', 'parts'])) };
  return isEmpty(members) ? [state, []] : tellExtensions(state, members);
}

/** Only while a text is open: citations belong to one. */
function readCitations(state: CandidateState, raw: JsonObject): CandidateStep {
  const { open, index } = state;
  if (open?.kind !== 'text') return [state, []];
  const events = parseCitations(raw.groundingMetadata).map((citation): StreamEvent => ({
    type: 'citation',
    choice: index,
    block: open.block,
    citation,
  }));
  return [state, events];
}

function readFinish(state: CandidateState, { finishReason }: JsonObject): CandidateStep {
  // Some of Google's own clients' recordings have the number of the enumeration.
  if ((typeof finishReason !== 'string' && typeof finishReason !== 'number') || state.finished)
    return [state, []];
  const rawReason = String(finishReason);
  const [closed, ends] = endOpen(state);
  const reason = mapFinishReason(rawReason, state.callCount > 0);
  return [
    { ...closed, finished: true },
    [...ends, { type: 'finish', choice: state.index, reason, rawReason }],
  ];
}
