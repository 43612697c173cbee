/**
 * Builds the non-streaming response from the chunks of a stream. Independent of the code under test. Text
 * continues the previous part if both are plain text of the same kind. A part with a signature stays
 * separate.
 */
import { camel, isMembers, type Members } from './meaning.ts';

export interface AnswerSum {
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
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Members);
}

export function sumAnswer(chunks: readonly Members[]): AnswerSum {
  const candidates = new Map<number, Draft>();
  const isStream = chunks.length > 1;
  const all = chunks.map((chunk) => camel(chunk) as Members);
  for (const chunk of all) {
    for (const candidate of (chunk.candidates ?? []) as Members[])
      addCandidate(candidates, candidate, isStream);
  }
  const counted = all.filter(
    ({ usageMetadata }) => isMembers(usageMetadata) && 'promptTokenCount' in usageMetadata,
  );
  return {
    id: all[0]?.responseId,
    model: all[0]?.modelVersion,
    usage: counted.at(-1)?.usageMetadata,
    candidates: [...candidates.values()],
    promptFeedback: all.at(-1)?.promptFeedback,
  };
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
  for (const part of (content.parts ?? []) as Members[])
    addPart(candidate.parts, structuredClone(part), isStream);
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

function isPlainText(part: Members): boolean {
  return typeof part.text === 'string' && part.thoughtSignature === undefined;
}

function addCall(parts: Members[], part: Members, piece: Members): void {
  const { partialArgs, willContinue, ...call } = piece;
  const last = parts.at(-1);
  const goesOn = call.name === undefined && isMembers(last?.functionCall);
  const into = goesOn ? (last.functionCall as Members) : { args: {}, ...call };
  if (!goesOn) parts.push({ ...part, functionCall: into });
  const args = into.args as Members;
  for (const { jsonPath, stringValue, numberValue } of (partialArgs ?? []) as Members[]) {
    const name = String(jsonPath).slice(2);
    args[name] = typeof stringValue === 'string' ? `${asText(args[name])}${stringValue}` : numberValue;
  }
  expect(willContinue ?? true).toBe(true);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
