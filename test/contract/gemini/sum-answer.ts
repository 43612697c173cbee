/**
 * Builds a non-streaming response from the chunks of a stream. This module shares no code with the code under
 * test. A text part is merged into the previous part if both are answer text or both are thoughts. A part
 * with a signature is never merged.
 */
import { camel, isMembers, type Members } from './meaning.ts';

export interface AnswerSum {
  /** The error that ended the response, if any. */
  readonly error: Members | undefined;
  readonly id: unknown;
  readonly model: unknown;
  readonly usage: unknown;
  readonly candidates: readonly CandidateSum[];
  readonly promptFeedback: unknown;
}

export interface CandidateSum {
  readonly index: number;
  readonly reason: string | undefined;
  readonly parts: Members[];
  readonly groundingMetadata: unknown;
}

type Draft = { -readonly [Name in keyof CandidateSum]: CandidateSum[Name] };

export function chunksOf(text: string): Members[] {
  if (/^\s*\[/.test(text)) return JSON.parse(text) as Members[];
  if (/^\s*\{/.test(text)) return [JSON.parse(text) as Members];
  return text
    .split(/\r?\n\r?\n/)
    .filter((event) => event.trim() !== '')
    .map((event) => JSON.parse(event.replace(/^data:/, '')) as unknown)
    .flat() as Members[];
}

export function sumAnswer(chunks: readonly Members[]): AnswerSum {
  const candidates = new Map<number, Draft>();
  const isStream = chunks.length > 1;
  const all = chunks.map((chunk) => camel(chunk) as Members);
  for (const chunk of all) {
    for (const candidate of (chunk.candidates ?? []) as Members[])
      addCandidate(candidates, candidate, isStream);
  }
  const error = all.map((chunk) => chunk.error).find(isMembers);
  return {
    error,
    id: all[0]?.responseId,
    model: all[0]?.modelVersion,
    usage: sumUsage(all.map(({ usageMetadata }) => usageMetadata).filter(isMembers)),
    candidates: [...candidates.values()],
    promptFeedback: all.at(-1)?.promptFeedback,
  };
}

/**
 * Adds up the token usage of all chunks. Later token counts replace earlier token counts. Returns a total
 * token count only if the last chunk with counts contains a total.
 */
function sumUsage(all: readonly Members[]): Members | undefined {
  const { totalTokenCount: total, ...counts } = Object.assign({}, ...all) as Members;
  const last = all.at(-1)?.totalTokenCount;
  const sum = { ...counts, ...(last === undefined ? {} : { totalTokenCount: total }) };
  return Object.keys(sum).some((name) => /^(prompt|candidates|thoughts|total)TokenCount$/.test(name))
    ? sum
    : undefined;
}

function addCandidate(candidates: Map<number, Draft>, raw: Members, isStream: boolean): void {
  const index = Number(raw.index ?? 0);
  const candidate = candidates.get(index) ?? {
    index,
    reason: undefined,
    parts: [],
    groundingMetadata: undefined,
  };
  candidates.set(index, candidate);
  const content = (raw.content ?? {}) as Members;
  const parts = (content.parts ?? []) as Members[];
  const said = parts.length > 1 ? parts.filter((part) => !isEmptyText(part)) : parts;
  for (const part of said) addPart(candidate.parts, structuredClone(part), isStream);
  candidate.reason ??=
    raw.finishReason === undefined ? undefined : (raw.finishReason as string | number).toString();
  candidate.groundingMetadata = raw.groundingMetadata ?? candidate.groundingMetadata;
}

function addPart(parts: Members[], part: Members, isStream: boolean): void {
  const last = parts.at(-1);
  if (isMembers(part.functionCall)) addCall(parts, part, part.functionCall);
  else if (isStream && isPlainText(part) && part.text === '') return;
  else if (
    isStream &&
    last !== undefined &&
    isPlainText(last) &&
    isPlainText(part) &&
    last.thought === part.thought
  )
    last.text = `${String(last.text)}${String(part.text)}`;
  else parts.push(part);
}

/** Returns true for an empty text part. An empty text part is meaningless next to other parts. */
function isEmptyText(part: Members): boolean {
  return part.text === '' && Object.keys(part).length === 1;
}

function isPlainText(part: Members): boolean {
  return typeof part.text === 'string' && part.thoughtSignature === undefined;
}

function addCall(parts: Members[], part: Members, piece: Members): void {
  const { partialArgs, willContinue, ...call } = piece;
  const last = parts.at(-1);
  const goesOn = call.name === undefined && isMembers(last?.functionCall);
  const into = goesOn ? (last.functionCall as Members) : { args: {}, ...call };
  if (!goesOn) parts.push({ ...part, functionCall: into });
  for (const piece of (partialArgs ?? []) as Members[]) addPartialArg(into.args as Members, piece);
  expect([undefined, true, false]).toContain(willContinue);
}

/** Sets the argument at a path such as `$.address.lines[0]`. */
function addPartialArg(args: Members, piece: Members): void {
  const path = [...String(piece.jsonPath).matchAll(/[^.[\]'"$]+/g)].map(([step]) => step);
  const last = path.pop()!;
  let holder = args;
  for (const [at, step] of path.entries()) {
    const isList = /^\d+$/.test(path[at + 1] ?? last);
    holder = (holder[step] ??= isList ? [] : {}) as Members;
  }
  const { stringValue: text, numberValue, boolValue } = piece;
  holder[last] =
    typeof text === 'string' ? `${asText(holder[last])}${text}` : (numberValue ?? boolValue ?? null);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
