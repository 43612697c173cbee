import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, StreamEvent, TokenUsage } from '@gateway/interchange';
import { chainSteps, type Step } from '../../common/stream-step.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  asTokens,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { camelMembers, own } from '../shared/own-members.ts';
import { parseErrorValue } from './parse-error.ts';
import { readCandidate } from './read-candidate.ts';
import type { CandidateState, StreamState } from './stream-state.ts';
import { initialCandidateState } from './stream-state.ts';

export type StreamStep = Step<StreamState>;

/**
 * Maximum number of candidates per response. Clients can request at most 8 candidates (alternative
 * responses).
 */
const candidatesMax = 256;

/** Maximum number of response fields to compare with the previous chunk. */
const membersMax = 256;

const readMembers = ['candidates', 'responseId', 'modelVersion', 'usageMetadata', 'error'] as const;

/** Reads a stream chunk. If `whole` is true, reads a non-streaming response, which has the shape of a chunk. */
export function readChunk(state: StreamState, raw: JsonObject, whole: boolean): StreamStep {
  const chunk = camelMembers(raw);
  return chainSteps(
    state,
    isObject(chunk.error)
      ? [(current) => readUsage(current, chunk), (current) => readError(current, chunk.error)]
      : [
          (current) => readStart(current, chunk),
          (current) => readAnswerExtensions(current, chunk),
          (current) => readCandidates(current, chunk, whole),
          (current) => readBlock(current, chunk),
          (current) => readUsage(current, chunk),
        ],
  );
}

function readStart(state: StreamState, chunk: JsonObject): StreamStep {
  if (state.started) return [state, []];
  const id = asText(chunk.responseId);
  const createdMs = Date.parse(asText(chunk.createTime) ?? '');
  const start: StreamEvent = {
    type: 'message-start',
    format: 'gemini',
    ...optional('id', id),
    ...optional('model', asText(chunk.modelVersion)),
    ...(Number.isNaN(createdMs) ? {} : { createdAt: Math.floor(createdMs / 1000) }),
  };
  return [{ ...state, started: true, answerId: id ?? asText(chunk.createTime) ?? '' }, [start]];
}

function readCandidates(state: StreamState, chunk: JsonObject, whole: boolean): StreamStep {
  const events: StreamEvent[] = [];
  const candidates = new Map(state.candidates);
  asList(chunk.candidates)
    .filter(isObject)
    .forEach((raw, position) => {
      const candidate = camelMembers(raw);
      const index = asNumber(candidate.index) ?? position;
      const before = candidates.get(index) ?? initialCandidateState(index, state.answerId);
      if (!candidates.has(index) && candidates.size >= candidatesMax) return;
      const [after, emitted] = readCandidate(before, candidate, whole);
      for (const event of emitted) events.push(event);
      candidates.set(index, after);
    });
  return [{ ...state, candidates }, events];
}

/** Reads the reason why a prompt was blocked. The response to a blocked prompt has no candidates. */
function readBlock(state: StreamState, { promptFeedback }: JsonObject): StreamStep {
  const rawReason = asText(camelMembers(asObject(promptFeedback) ?? {}).blockReason);
  if (rawReason === undefined || state.candidates.size > 0) return [state, []];
  const candidate: CandidateState = { ...initialCandidateState(0, state.answerId), finished: true };
  return [
    { ...state, candidates: new Map([[0, candidate]]) },
    [{ type: 'finish', choice: 0, reason: 'content-filter', rawReason }],
  ];
}

/** Emits the response fields that differ from the previous chunk. */
function readAnswerExtensions(state: StreamState, chunk: JsonObject): StreamStep {
  const rest = otherMembers(chunk, readMembers);
  const known = Object.keys(rest).filter((name) => isDeepStrictEqual(rest[name], state.members[name]));
  const fresh = otherMembers(rest, known);
  if (isEmpty(fresh)) return [state, []];
  const members = { ...state.members, ...fresh };
  return [
    Object.keys(members).length > membersMax ? state : { ...state, members },
    [{ type: 'extension', scope: 'answer', choice: 0, extensions: own.of(fresh) }],
  ];
}

/**
 * Merges counts by name, because some chunks repeat only a few of the counts. A total from an earlier chunk
 * does not include counts from later chunks.
 */
function readUsage(state: StreamState, chunk: JsonObject): StreamStep {
  const latest = asObject(chunk.usageMetadata);
  if (latest === undefined) return [state, []];
  const raw = { ...otherMembers(state.usage, ['totalTokenCount']), ...camelMembers(latest) };
  const merged = Object.keys(raw).length > membersMax ? camelMembers(latest) : raw;
  const usage = parseUsage(merged);
  const next = { ...state, usage: merged };
  return [next, usage === undefined ? [] : [{ type: 'usage', usage, extensions: own.of(merged) }]];
}

function readError(state: StreamState, error: unknown): StreamStep {
  const raw = asObject(error) ?? {};
  const { message, type, code } = parseErrorValue(raw, asNumber(raw.code) ?? 500);
  return [
    { ...state, failed: true },
    [{ type: 'error', message, errorType: type, ...optional('code', code), extensions: own.of(raw) }],
  ];
}

/**
 * Parses `usageMetadata`. Cached tokens are included in the prompt tokens. Reasoning tokens are billed as
 * output but not included in the candidates' tokens. Tokens in the results of Google's own tools are billed
 * as input but not included in the prompt tokens. In all recorded responses, the total equals the sum of
 * prompt, candidate, reasoning and tool result tokens. Returns undefined if there are no token counts.
 */
function parseUsage(raw: JsonObject): TokenUsage | undefined {
  const prompt = asTokens(raw.promptTokenCount);
  const candidates = asTokens(raw.candidatesTokenCount);
  const thoughts = asTokens(raw.thoughtsTokenCount);
  const total = asTokens(raw.totalTokenCount);
  if ([prompt, candidates, thoughts, total].every((count) => count === undefined)) return undefined;
  const outputTokens = (candidates ?? 0) + (thoughts ?? 0);
  const inputTokens =
    prompt === undefined
      ? Math.max((total ?? 0) - outputTokens, 0)
      : prompt + (asTokens(raw.toolUsePromptTokenCount) ?? 0);
  return {
    inputTokens,
    outputTokens,
    ...optional('cachedInputTokens', asTokens(raw.cachedContentTokenCount)),
    ...optional('reasoningTokens', thoughts),
  };
}
