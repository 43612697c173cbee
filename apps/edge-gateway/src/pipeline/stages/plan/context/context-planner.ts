import { hash } from 'node:crypto';
import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { ContextPart } from '@gateway/wire-formats';
import { charactersPerToken } from '../../../characters-per-token.ts';
import { chainOf, nameSent } from './context-chain.ts';
import type { ContextMemo } from './context-memo.ts';
import type { ContextSubject } from './context-subject.ts';
import type { ContextEdits } from '../../../tool-plan.ts';
import { wentAsItCame, type ContextStep, type MessageEdits } from './message-edits.ts';

/** Puts a question to any compressor, or to the one that just said it knows too little. */
export type AskCompressor = (
  request: CompressBlocksRequest,
  signal: AbortSignal,
  instanceId?: string,
) => Promise<CompressBlocksReply>;

/** What the outcomes depend on besides the conversation. Another version of the steps is another number. */
const stepsVersion = 1;
/** Room under the 8 MiB limit of a message, for texts that JSON makes longer. */
const questionUnitsMax = 3 * 1024 * 1024;

/**
 * Decides how the texts of a conversation go out. Each message is looked at once, when it comes in; in later turns it goes
 * out in the same bytes, by the memo, or by the same computation where the memo is lost.
 */
export class ContextPlanner {
  readonly #ask: AskCompressor;
  readonly #memo: ContextMemo;

  readonly #log: Logger;

  constructor(ask: AskCompressor, memo: ContextMemo, log: Logger) {
    this.#ask = ask;
    this.#memo = memo;
    this.#log = log;
  }

  /** Never throws. Whom nobody could ask in time about goes out as it came, now and in every later turn. */
  async plan(subject: ContextSubject, signal: AbortSignal): Promise<ContextEdits> {
    const { outline, candidates, tape, accountId, mode } = subject;
    const seed = hash('sha256', `${accountId}:${mode}:${stepsVersion}`);
    const chain = chainOf(seed, tape.bytes, outline);
    const tailStart = outline.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    const linkOf = (index: number): Buffer => chain[index] as Buffer;
    const isUnknown = (index: number): boolean => this.#memo.peek(linkOf(index)) === undefined;
    // Nobody has seen the tail before, but for a request that is made again: asking Redis would be for nothing.
    const forgotten = candidates.filter((index) => index < tailStart && isUnknown(index));
    if (forgotten.length > 0) await inTime(this.#memo.load(forgotten.map(linkOf)), signal);
    const unknown = candidates.filter(isUnknown);
    if (unknown.length > 0) await this.#learn(subject, { seed, chain, unknown }, signal);
    const editsFor = (index: number): MessageEdits => this.#memo.peek(linkOf(index)) ?? wentAsItCame;
    return joinPlan(subject, editsFor, { tailStart, unknown });
  }

  async #learn(subject: ContextSubject, search: Search, signal: AbortSignal): Promise<void> {
    const { chain, unknown } = search;
    try {
      const learned = await this.#askFor(subject, search, signal);
      for (const index of unknown)
        this.#memo.keep(
          chain[index] as Buffer,
          learned.get(index) ?? { edits: [], steps: [], wasLate: false },
        );
    } catch (error) {
      const { requestId, left } = subject;
      if (left.aborted) return;
      for (const index of unknown) this.#memo.keep(chain[index] as Buffer, wentAsItCame);
      this.#log.warn({ err: error, requestId }, 'new messages go out as they came');
    }
  }

  /** Asks about what came after the last turn; about everything, if the compressor or the memo has lost the beginning. */
  async #askFor(
    subject: ContextSubject,
    search: Search,
    signal: AbortSignal,
  ): Promise<Map<number, MessageEdits>> {
    const { messages } = subject.outline;
    const looked = new Set(subject.candidates);
    const marks = messages
      .map((_, index) => (looked.has(index) ? this.#markOf(search.chain[index] as Buffer) : 'f'))
      .join('');
    const begin = findBeginning(subject, search.unknown);
    const parts = subject.format.client.listContext(subject.tape, begin);
    const reply = await this.#ask(questionOf(subject, search, marks, begin, parts), signal);
    if (reply.status === 'compressed') return editsOf(subject, parts, reply.results);
    const all = begin === 0 ? parts : subject.format.client.listContext(subject.tape, 0);
    const question = questionOf(subject, search, marks, 0, all);
    const again = await this.#ask(question, signal, reply.instanceId);
    if (again.status === 'compressed') return editsOf(subject, all, again.results);
    throw new GatewayError('service_unavailable', {
      detail: 'the compressor keeps forgetting a conversation',
    });
  }

  /** How a message went out: `a` as it came since nobody looked in time, `-` as planned; `f` is protected or too short. */
  #markOf(link: Buffer): string {
    return this.#memo.peek(link)?.wasLate === true ? 'a' : '-';
  }
}

/** Waits for something that never fails, and no longer than until the signal. */
async function inTime(task: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([task, aborted]);
  signal.removeEventListener('abort', stop);
}

interface Search {
  readonly seed: string;
  readonly chain: readonly Buffer[];
  /** Candidates that the memo knows nothing of. */
  readonly unknown: readonly number[];
}

/**
 * Up to where a compressor may remember the conversation: the end of the last request that asked one, which is where the model's
 * answer to it begins. 0 where nobody asked yet, or something in between is forgotten.
 */
function findBeginning(
  { outline: { messages }, candidates }: ContextSubject,
  unknown: readonly number[],
): number {
  const [first = 0] = unknown;
  const asked = candidates[candidates.indexOf(first) - 1];
  if (asked === undefined) return 0;
  const answer = messages.findIndex(({ role }, index) => index > asked && role === 'assistant');
  return answer > asked && answer < first ? answer : 0;
}

function questionOf(
  { mode, outline }: ContextSubject,
  { seed, chain }: Search,
  marks: string,
  begin: number,
  parts: readonly ContextPart[],
): CompressBlocksRequest {
  const blocks = parts.map((part) => ({
    speaker: part.speaker,
    text: part.text(),
    frozen: part.range === undefined || marks[part.message] !== '-',
  }));
  const units = blocks.reduce((sum, { text }) => sum + text.length, 0);
  if (units > questionUnitsMax) {
    throw new GatewayError('service_unavailable', {
      detail: 'the conversation is too long to be compressed',
    });
  }
  const upTo = nameSent(chain, marks, outline.messages.length) ?? '';
  return {
    mode,
    recoverable: false,
    sessionSeed: seed,
    after: nameSent(chain, marks, begin),
    upTo,
    blocks,
  };
}

/** By message: whole JSON strings in other words, where those are shorter. */
function editsOf(
  { outline }: ContextSubject,
  parts: readonly ContextPart[],
  results: Extract<CompressBlocksReply, { status: 'compressed' }>['results'],
): Map<number, MessageEdits> {
  const byMessage = new Map<number, { edits: MessageEdits['edits'][number][]; steps: ContextStep[] }>();
  for (const [at, { text, steps }] of results.entries()) {
    const part = parts[at];
    const message = part && outline.messages[part.message];
    if (text === null || part?.range === undefined || message === undefined) continue;
    const replacement = JSON.stringify(text);
    const { start, end } = part.range;
    if (Buffer.byteLength(replacement) > end - start) continue;
    const found = byMessage.get(part.message) ?? { edits: [], steps: [] };
    byMessage.set(part.message, found);
    found.edits.push({ start: start - message.range.start, end: end - message.range.start, replacement });
    found.steps.push(...steps);
  }
  return new Map(
    [...byMessage].map(([index, { edits, steps }]) => [index, { edits, steps, wasLate: false }]),
  );
}

function joinPlan(
  { outline: { messages }, candidates, tape }: ContextSubject,
  editsFor: (index: number) => MessageEdits,
  { tailStart, unknown }: { tailStart: number; unknown: readonly number[] },
): ContextEdits {
  const edits: ContextEdits['edits'][number][] = [];
  const steps: ContextStep[] = [];
  const saved = { new: 0, again: 0 };
  for (const index of candidates) {
    const offset = messages[index]?.range.start ?? 0;
    const message = editsFor(index);
    for (const { start, end, replacement } of message.edits)
      edits.push({ start: start + offset, end: end + offset, replacement });
    steps.push(...message.steps);
    saved[index < tailStart ? 'again' : 'new'] += sumSaved(message.steps);
  }
  const changed = unknown.find((index) => index < tailStart && editsFor(index).edits.length > 0);
  const from = changed === undefined ? undefined : messages[changed]?.range.start;
  const end = messages[tailStart - 1]?.range.end ?? 0;
  const rewritten = from === undefined ? 0 : estimateTokens(tape.bytes.subarray(from, end));
  return { edits, steps, tokens: { savedNew: saved.new, savedAgain: saved.again, rewritten }, recall: null };
}

function sumSaved(steps: readonly ContextStep[]): number {
  return steps.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, 0);
}

function estimateTokens(bytes: Uint8Array): number {
  return Math.ceil(bytes.length / charactersPerToken);
}
