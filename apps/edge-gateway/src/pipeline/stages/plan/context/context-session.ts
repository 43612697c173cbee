import { hash } from 'node:crypto';
import { chainOf } from './context-chain.ts';
import type { ContextSettings, ContextSubject } from './context-subject.ts';

/** What the outcomes depend on besides the conversation. Another version of the steps is another number. */
const stepsVersion = 1;

/** A conversation under some settings: what its messages' outcomes are known by. */
export interface ContextSession {
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
export function openSession(
  { accountId, tape, outline }: ContextSubject,
  settings: ContextSettings,
  clearedBefore: number,
): ContextSession {
  const { mode, recoverable } = settings;
  const seed = hash('sha256', `${accountId}:${mode}:${stepsVersion}${recoverable ? ':recoverable' : ''}`);
  const links = chainOf(seed, tape.bytes, outline);
  const first = outline.messages.findIndex(({ role }) => role === 'assistant');
  const opening = links[first - 1];
  const name = hash('sha256', `session:${seed}:${opening?.toString('hex') ?? ''}`);
  const clear = links[clearedBefore - 1];
  const chain =
    clear === undefined ? links : links.map((link) => hash('sha256', Buffer.concat([clear, link]), 'buffer'));
  return { settings, name, chain, clearedBefore };
}
