import type { CompressBlocksRequest } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ContextPart } from '@gateway/wire-formats';
import { nameSent } from './context-chain.ts';
import type { ContextMemo } from './context-memo.ts';
import type { ContextSession } from './context-session.ts';
import type { ContextSubject } from './context-subject.ts';

/** Room under the 8 MiB limit of a message, for texts that JSON makes longer. */
const questionUnitsMax = 3 * 1024 * 1024;

/**
 * Of each message, how it goes out: `a` as it came since nobody looked in time, `-` as planned; `f` is protected or too short;
 * `o` is old, of which a summary goes out.
 */
export function markMessages(
  { outline, candidates }: ContextSubject,
  { chain, clearedBefore }: ContextSession,
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
  { settings, name, chain }: ContextSession,
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
