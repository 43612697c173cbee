import { hash } from 'node:crypto';
import type { CompressBlocksRequest } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ContextPart } from '@gateway/wire-formats';
import { BatchedHash } from '../../../../bytes/batched-hash.ts';
import { KnownMessages } from '../../../../request/known-messages.ts';
import type { ContextSettings, ContextSubject } from './context-subject.ts';
import type { ContextMemo } from './context-memo.ts';

/** A conversation with its compression settings and the keys of its compressed messages. */
export interface CompressedConversation {
  readonly settings: ContextSettings;
  /**
   * SHA-256 in hex of the account, the settings and all bytes before the model's first turn. All requests of a
   * conversation have the same hash. Markers are tied to this hash rather than to the conversation key, because the
   * key covers only excerpts. Two conversations with the same key would share markers.
   */
  readonly name: string;
  /** The cache keys of the compression results, one key per message. */
  readonly chain: readonly Buffer[];
  /**
   * Messages before this index are replaced with summaries. Zero if no message is replaced with a
   * summary.
   */
  readonly clearedBefore: number;
}

/**
 * Starts tracking a conversation with the given compression settings.
 * @param clearedBefore index of the message before which summaries replace old tool results. Replacing tool results
 * with summaries invalidates earlier compression results.
 */
export function openConversation(
  subject: Pick<ContextSubject, 'accountId' | 'tape' | 'outline' | 'parts' | 'pinned' | 'known'>,
  settings: ContextSettings,
  clearedBefore: number,
): CompressedConversation {
  const { accountId, outline, pinned } = subject;
  const { mode, recoverable, version } = settings;
  const kind = `${recoverable ? ':recoverable' : ''}${pinned === undefined ? '' : ':pinned'}`;
  const seed = hash('sha256', `${accountId}:${mode}:${version}${kind}`);
  const links = chainOf(seed, subject);
  const first = outline.messages.findIndex(({ role }) => role === 'assistant');
  const opening = links[first - 1];
  const name = hash('sha256', `session:${seed}:${opening?.toString('hex') ?? ''}`);
  const clear = links[clearedBefore - 1];
  const chain =
    clear === undefined ? links : links.map((link) => hash('sha256', Buffer.concat([clear, link]), 'buffer'));
  return { settings, name, chain, clearedBefore };
}

/**
 * Returns one hash for each message. Each hash covers the conversation up to and including the message. Equal hashes
 * mean equal messages up to this point. An attacker without the conversation cannot guess the hash.
 * @param seed other inputs that affect the outcome (account, mode, version of the compression steps)
 */
function chainOf(
  seed: string,
  {
    tape: { bytes },
    outline,
    parts,
    known = new KnownMessages(),
  }: Pick<ContextSubject, 'tape' | 'outline' | 'parts' | 'known'>,
): readonly Buffer[] {
  let next = 0;
  const addParts = (hashed: BatchedHash, message: number): Buffer => {
    for (let part = parts[next]; part?.message === message; part = parts[(next += 1)]) {
      const lengths = part.source.map(({ start, end }) => end - start).join();
      hashed.add(`${part.speaker}:${part.range === undefined ? 'read' : 'changed'}:${lengths}\n`);
      for (const { start, end } of part.source) hashed.addBytes(bytes, start, end);
    }
    return hashed.digest();
  };
  const first = addParts(new BatchedHash().add(seed), -1);
  const extend = (links: Buffer[]): void => {
    while ((parts[next]?.message ?? Infinity) < links.length) next += 1;
    for (let index = links.length; index < outline.messages.length; index += 1)
      links.push(addParts(new BatchedHash().addBytes(links.at(-1) ?? first), index));
  };
  return known.chain(first.toString('hex'), extend);
}

/**
 * Returns the name of the record that stores the messages after a turn of the model.
 * @param turn index of the last message in the model's turn
 */
export function nameTurn({ chain }: CompressedConversation, turn: number): string {
  return hash('sha256', `turn:${chain[turn]?.toString('hex') ?? ''}`);
}

/**
 * Returns a hash of the first `count` messages and of their marks, which describe how each message is sent.
 * @param marks one character per message, as returned by `markMessages`.
 */
function nameSent(chain: readonly Buffer[], marks: string, count: number): string | null {
  const last = chain[count - 1];
  return last === undefined ? null : hash('sha256', `${last.toString('hex')}:${marks.slice(0, count)}`);
}

/**
 * Maximum number of characters in one request to the compressor. The limit is below the message bus's 8 MiB per
 * message, because JSON escapes lengthen the text.
 */
const questionUnitsMax = 3 * 1024 * 1024;

/**
 * Returns one character (mark) per message. The mark describes the form in which the message is sent. The mark `a`
 * means that the message is sent unchanged because the compressor was late. The mark `-` means that the message is
 * compressed. The mark `f` means that the message is sent unchanged because it is protected or too short. The mark
 * `o` means that a summary replaces the old message.
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
 * Returns the index of the last message that a compressor may cache. The message is the model's response to the
 * last compressed request. Returns 0 if no earlier message was compressed, or if an intermediate result is missing.
 */
export function findBeginning(
  { outline: { messages }, candidates }: ContextSubject,
  unknown: readonly number[],
): number {
  const [first = 0] = unknown;
  const compressed = candidates[candidates.indexOf(first) - 1];
  if (compressed === undefined) return 0;
  const answer = messages.findIndex(({ role }, index) => index > compressed && role === 'assistant');
  return answer > compressed && answer < first ? answer : 0;
}

/**
 * Renders the request for the compressor.
 * @param begin index of the first message in `parts`. The request contains only the hashes of the messages
 * before `begin`.
 * @throws GatewayError `request_too_large` if the text exceeds the size limit of compression
 */
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
    throw new GatewayError('request_too_large', {
      detail: 'the conversation exceeds the size limit of compression',
    });
  }
  const upTo = nameSent(chain, marks, outline.messages.length) ?? '';
  const after = nameSent(chain, marks, begin);
  return { ...settings, accountId, sessionSeed: name, after, upTo, blocks };
}
