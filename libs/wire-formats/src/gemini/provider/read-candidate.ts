import type { Citation, FinishReason, JsonObject, StreamEvent } from '@gateway/interchange';
import { GatewayError } from '@gateway/errors';
import { chainSteps } from '../../common/stream-step.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { camelMembers, own } from '../shared/own-members.ts';
import type { CandidateState, CandidateStep } from './stream-state.ts';
import { addAside, addPart, addText, endCall, endOpen, sealText, emitExtensions } from './stream-state.ts';
import { parseMediaPart } from '../shared/media.ts';
import { createCallId } from '../shared/call-ids.ts';
import { addPartialArg } from './partial-args.ts';

/** Reads a candidate from a chunk. The names in `raw` are in camel case. */
export function readCandidate(state: CandidateState, raw: JsonObject, whole: boolean): CandidateStep {
  const content = camelMembers(asObject(raw.content) ?? {});
  const parts = asList(content.parts);
  // Empty text next to other parts contains no information, and other providers reject empty text.
  const said = parts.length > 1 ? parts.filter((part) => !isEmptyText(part)) : parts;
  return chainSteps(state, [
    ...said.map((part) => (current: CandidateState) => readPart(current, part, whole)),
    (current) => readExtensions(current, raw, content),
    (current) => readCitations(current, raw),
    (current) => readFinish(current, raw),
  ]);
}

function isEmptyText(part: unknown): boolean {
  return isObject(part) && part.text === '' && Object.keys(part).length === 1;
}

function readExtensions(state: CandidateState, raw: JsonObject, content: JsonObject): CandidateStep {
  const rest = otherMembers(raw, ['index', 'content', 'finishReason']);
  const members = { ...rest, ...optional('content', otherMembers(content, ['role', 'parts'])) };
  return isEmpty(members) ? [state, []] : emitExtensions(state, members);
}

/**
 * Reads the citations of a candidate. Citations are read before the text block ends, because each citation
 * belongs to this text block. Citations for web pages that the model fetched are added when the finish reason
 * arrives. Until the finish reason arrives, grounding metadata may cite the same pages with their titles.
 */
function readCitations(state: CandidateState, raw: JsonObject): CandidateStep {
  const { open, index } = state;
  const { groundingMetadata, urlContextMetadata } = raw;
  // Most chunks of a stream contain no grounding metadata.
  if (groundingMetadata === undefined && urlContextMetadata === undefined && state.pages.length === 0)
    return [state, []];
  const found = parseCitations(groundingMetadata);
  const cited = new Set(found.map(({ url }) => url));
  const pages = new Set([...state.pages, ...parsePages(urlContextMetadata)]);
  const next = { ...state, pages: [...pages].filter((url) => !cited.has(url)).slice(0, citationsMax) };
  if (open?.kind !== 'text') return [next, []];
  const read =
    raw.finishReason === undefined
      ? []
      : next.pages.map((url): Citation => ({ url, extensions: own.of({}) }));
  const events = [...found, ...read].map((citation): StreamEvent => ({
    type: 'citation',
    choice: index,
    block: open.block,
    citation,
  }));
  return [next, events];
}

/**
 * Reads from `urlContextMetadata` the web pages that the model fetched. Web pages that the model could not
 * fetch are skipped.
 */
function parsePages(urlContextMetadata: unknown): string[] {
  const { urlMetadata } = camelMembers(asObject(urlContextMetadata) ?? {});
  return asList(urlMetadata)
    .filter(isObject)
    .map(camelMembers)
    .filter(({ urlRetrievalStatus: status }) => status === 'URL_RETRIEVAL_STATUS_SUCCESS')
    .flatMap(({ retrievedUrl }) => asText(retrievedUrl) ?? []);
}

function readFinish(state: CandidateState, { finishReason }: JsonObject): CandidateStep {
  // In some responses recorded from Google's own clients, the finish reason is an enum number.
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

/**
 * Reads a part of a candidate. If `whole` is true, each part becomes a separate block. If `whole` is false,
 * one text block can span several chunks.
 */
function readPart(state: CandidateState, raw: unknown, whole: boolean): CandidateStep {
  const part = isObject(raw) ? camelMembers(raw) : {};
  if (typeof part.text === 'string') return readText(state, part, part.text, whole);
  if (isObject(part.functionCall)) return readCall(state, part);
  return addPart(state, parseMediaPart(part) ?? { type: 'opaque', extensions: own.of({ part: raw }) });
}

function readText(state: CandidateState, part: JsonObject, text: string, whole: boolean): CandidateStep {
  const kind = part.thought === true ? 'thinking' : 'text';
  const signature = asText(part.thoughtSignature);
  const rest = otherMembers(part, ['text', 'thought', 'thoughtSignature']);
  // A signature covers only the part that contains it, so no more text may be appended to that part.
  const isApart = signature !== undefined || !isEmpty(rest);
  if (text === '' && isApart) return addAside(state, { type: 'opaque', extensions: own.of({ part }) });
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

/** Maximum number of tool calls per candidate, equal to the maximum number of tools in a request. */
const callsMax = 4096;

/** Reads a new tool call, or more arguments for the open tool call. The names in `part` are in camel case. */
function readCall(state: CandidateState, part: JsonObject): CandidateStep {
  const call = camelMembers(asObject(part.functionCall) ?? {});
  const isContinued = state.openCall !== undefined && call.name === undefined;
  const isLast = call.willContinue !== true;
  return chainSteps(state, [
    isContinued ? keep : (current) => startCall(current, call, part),
    (current) => addArguments(current, call),
    isLast ? endCall : keep,
  ]);
}

function startCall(state: CandidateState, call: JsonObject, part: JsonObject): CandidateStep {
  if (state.callCount >= callsMax)
    throw new GatewayError('upstream_invalid', { detail: 'the response has too many tool calls' });
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

/**
 * Adds arguments to the open tool call. The arguments are emitted only when they are complete, because a
 * later chunk can change an earlier value.
 */
function addArguments(state: CandidateState, call: JsonObject): CandidateStep {
  if (state.openCall === undefined) return [state, []];
  const whole = asObject(call.args);
  const args = whole === undefined ? state.openCall.args : { ...state.openCall.args, ...whole };
  for (const piece of asList(call.partialArgs)) if (isObject(piece)) addPartialArg(args, piece);
  return [{ ...state, openCall: { ...state.openCall, args } }, []];
}

/** Maximum number of citations per candidate, which is far more than real responses have. */
const citationsMax = 1024;

/** Parses grounding metadata into one citation for each source of each supported segment. */
function parseCitations(groundingMetadata: unknown): Citation[] {
  const grounding = asObject(groundingMetadata) ?? {};
  const chunks = asList(grounding.groundingChunks);
  return asList(grounding.groundingSupports)
    .filter(isObject)
    .flatMap((support) => citeSources(support, chunks))
    .slice(0, citationsMax);
}

function citeSources(support: JsonObject, chunks: readonly unknown[]): Citation[] {
  const { segment } = support;
  return asList(support.groundingChunkIndices).flatMap((index) => {
    const chunk = asObject(chunks[asNumber(index) ?? -1]);
    const source = asObject(chunk?.web) ?? asObject(chunk?.retrievedContext) ?? asObject(chunk?.maps);
    if (source === undefined) return [];
    return {
      ...optional('title', asText(source.title)),
      ...optional('url', asText(source.uri)),
      ...optional('citedText', asText(source.text)),
      extensions: own.of({ segment }),
    };
  });
}

/**
 * Maps a finish reason. Gemini sends STOP for both text responses and tool calls, so `callsTools` determines
 * the mapped reason. Numbers are mapped only if they mean the same in both Google APIs.
 */
function mapFinishReason(raw: string, callsTools: boolean): FinishReason {
  switch (raw) {
    case 'STOP':
    case '1':
      return callsTools ? 'tool-calls' : 'stop';
    case 'MAX_TOKENS':
    case '2':
      return 'length';
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
    case 'MODEL_ARMOR':
    case 'IMAGE_SAFETY':
    case 'IMAGE_PROHIBITED_CONTENT':
    case 'IMAGE_RECITATION':
    case '3':
    case '4':
      return 'content-filter';
    case 'MALFORMED_FUNCTION_CALL':
    case 'MALFORMED_RESPONSE':
    case 'UNEXPECTED_TOOL_CALL':
    case 'TOO_MANY_TOOL_CALLS':
    case 'MISSING_THOUGHT_SIGNATURE':
    case 'NO_IMAGE':
      return 'error';
    default:
      return 'other';
  }
}
