import { createHash, hash } from 'node:crypto';
import type { RequestOutline } from '@gateway/interchange';
import { contextStepsVersion, type CompressBlocksRequest } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ContextPart } from '@gateway/wire-formats';
import type { ContextSettings, ContextSubject } from './context-subject.ts';
import type { ContextMemo } from './context-memo.ts';

/** A conversation under some settings: what its messages' outcomes are known by. */
export interface CompressedConversation {
  readonly settings: ContextSettings;
  /**
   * The account's session, as a SHA-256 in hex: the same in all its requests, since it is made from what stands before the
   * model's first turn. Markers mean something in it alone.
   */
  readonly name: string;
  /** By message: what its outcome is kept under. */
  readonly chain: readonly Buffer[];
  /** Of the messages before this one only summaries go out; 0 for none. */
  readonly clearedBefore: number;
}

/** @param clearedBefore a clear is a new beginning: what went out before it says nothing about what goes out now. */
export function openConversation(
  { accountId, tape, outline }: ContextSubject,
  settings: ContextSettings,
  clearedBefore: number,
): CompressedConversation {
  const { mode, recoverable } = settings;
  const seed = hash(
    'sha256',
    `${accountId}:${mode}:${contextStepsVersion}${recoverable ? ':recoverable' : ''}`,
  );
  const links = chainOf(seed, tape.bytes, outline);
  const first = outline.messages.findIndex(({ role }) => role === 'assistant');
  const opening = links[first - 1];
  const name = hash('sha256', `session:${seed}:${opening?.toString('hex') ?? ''}`);
  const clear = links[clearedBefore - 1];
  const chain =
    clear === undefined ? links : links.map((link) => hash('sha256', Buffer.concat([clear, link]), 'buffer'));
  return { settings, name, chain, clearedBefore };
}

/**
 * For each message, a hash over the conversation up to it, its own bytes included: equal hashes are equal beginnings. Nobody
 * who does not have the conversation can make one.
 *
 * @param seed what else an outcome depends on: account, mode, the version of the steps.
 */
function chainOf(seed: string, bytes: Buffer, { system, messages }: RequestOutline): Buffer[] {
  let last = createHash('sha256').update(seed);
  if (system !== undefined) last = last.update(bytes.subarray(system.range.start, system.range.end));
  let digest = last.digest();
  return messages.map(({ range }) => {
    digest = createHash('sha256').update(digest).update(bytes.subarray(range.start, range.end)).digest();
    return digest;
  });
}

/**
 * Names what was sent of the first messages: their bytes, and which of them went out as they came though they could have been
 * shorter.
 *
 * @param marks one character a message.
 */
function nameSent(chain: readonly Buffer[], marks: string, count: number): string | null {
  const last = chain[count - 1];
  return last === undefined ? null : hash('sha256', `${last.toString('hex')}:${marks.slice(0, count)}`);
}

/** Room under the 8 MiB limit of a message, for texts that JSON makes longer. */
const questionUnitsMax = 3 * 1024 * 1024;

/**
 * Of each message, how it goes out: `a` as it came since nobody looked in time, `-` as planned; `f` is protected or too short;
 * `o` is old, of which a summary goes out.
 */
export function markMessages(
  { outline, candidates }: ContextSubject,
  { chain, clearedBefore }: CompressedConversation,
  memo: ContextMemo,
): string {
  const looked = new Set(candidates);
  const markOf = (index: number): string => {
    if (memo.peek(chain[index] as Buffer)?.wasLate === true) return 'a';
    return index < clearedBefore ? 'o' : '-';
  };
  return outline.messages.map((_, index) => (looked.has(index) ? markOf(index) : 'f')).join('');
}

/**
 * Up to where a compressor may remember the conversation: the end of the last request that asked one, which is where the model's
 * answer to it begins. 0 where nobody asked yet, or something in between is forgotten.
 */
export function findBeginning(
  { outline: { messages }, candidates }: ContextSubject,
  unknown: readonly number[],
): number {
  const [first = 0] = unknown;
  const asked = candidates[candidates.indexOf(first) - 1];
  if (asked === undefined) return 0;
  const answer = messages.findIndex(({ role }, index) => index > asked && role === 'assistant');
  return answer > asked && answer < first ? answer : 0;
}

/** @param begin the message with which the parts begin; what was sent before it is named by its hash. */
export function renderQuestion(
  { accountId, outline }: ContextSubject,
  { settings, name, chain }: CompressedConversation,
  { marks, begin, parts }: { marks: string; begin: number; parts: readonly ContextPart[] },
): CompressBlocksRequest {
  const blocks = parts.map((part) => {
    const mark = marks[part.message];
    const frozen = part.range === undefined || (mark !== '-' && mark !== 'o');
    return { speaker: part.speaker, text: part.text(), frozen, ...(mark === 'o' ? { old: true } : {}) };
  });
  const units = blocks.reduce((sum, { text }) => sum + text.length, 0);
  if (units > questionUnitsMax) {
    throw new GatewayError('service_unavailable', {
      detail: 'the conversation is too long to be compressed',
    });
  }
  const upTo = nameSent(chain, marks, outline.messages.length) ?? '';
  const after = nameSent(chain, marks, begin);
  return { ...settings, accountId, sessionSeed: name, after, upTo, blocks };
}
