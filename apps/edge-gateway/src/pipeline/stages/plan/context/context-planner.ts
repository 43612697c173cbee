import { setImmediate as nextTurn } from 'node:timers/promises';
import { markerId } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { ContextEdits } from '../../../exchange/tool-plan.ts';
import type { ContextSubject } from './context-subject.ts';
import { findLastMarked, findTail, findTurn, otherSettings } from './context-subject.ts';
import { chooseClear, isRewriteDear } from './context-pricing.ts';
import type { CompressorClient } from './nats-compressor.adapter.ts';
import type { MessageEdits } from './context-edits.ts';
import { collectEdits, joinEdits, sentUnchanged } from './context-edits.ts';
import type { ContextMemo } from './context-memo.ts';
import type { CompressedConversation } from './compression-request.ts';
import {
  findBeginning,
  markMessages,
  nameTurn,
  openConversation,
  renderQuestion,
} from './compression-request.ts';
import type { RecallOriginal } from '../../../recovery/recovery.ts';

/** The compression settings of a conversation with bound reasoning. */
export interface PinnedContext {
  readonly context: ContextEdits;
  /** False if an original message is sent because its compressed form could not be restored. */
  readonly isSure: boolean;
}

/** Number of messages that are stored before the code yields to the event loop. Encrypting one message takes about 20 µs. */
const keptAtOnce = 256;

/**
 * Chooses the form in which the text of a conversation is sent. Each message is compressed once, when it arrives.
 * Later turns send the same bytes, which are read from the cache or computed again.
 */
export class ContextPlanner {
  readonly #compressor: CompressorClient;
  readonly #memo: ContextMemo;

  readonly #log: Logger;

  constructor(compressor: CompressorClient, memo: ContextMemo, log: Logger) {
    this.#compressor = compressor;
    this.#memo = memo;
    this.#log = log;
  }

  /**
   * Plans the compression and never throws. A message that was not compressed in time is sent unchanged in
   * its first turn and in every later turn.
   */
  async plan(subject: ContextSubject, signal: AbortSignal): Promise<ContextEdits> {
    const tailStart = findTail(subject.outline);
    const { conversation, isKept } = await this.#chooseSession(subject, tailStart, signal);
    this.#protectMarked(subject, conversation, tailStart);
    const unknown = this.#unknownOf(conversation, subject.candidates);
    const isCleared = conversation.clearedBefore > 0 && (unknown[0] ?? Infinity) < tailStart;
    if (unknown.length > 0) await this.#learn(subject, conversation, unknown, signal);
    const decision = isKept ? 'kept' : isCleared ? 'cleared' : 'taken';
    const recall = conversation.settings.recoverable ? this.#recallIn(subject, conversation) : null;
    return { ...this.#join(subject, conversation, { tailStart, unknown }), decision, recall };
  }

  /**
   * Plans the compression of a conversation with bound reasoning, and never throws. Messages of earlier
   * requests are repeated byte for byte. Messages of earlier requests are read from a cache, or compressed
   * again with the same version of the compression steps. Messages that were not compressed in time are sent
   * unchanged in every later turn. The decision to leave a message unchanged is stored durably before the
   * message is sent.
   */
  async planPinned(subject: ContextSubject, signal: AbortSignal): Promise<PinnedContext> {
    const tailStart = findTail(subject.outline);
    const conversation = this.#open(subject, subject.settings);
    const sentBefore = subject.candidates.filter((index) => index < tailStart);
    const isSure = await this.#restore(subject, conversation, sentBefore, signal);
    const unknown = this.#unknownOf(conversation, subject.candidates);
    const added = unknown.filter((index) => index >= tailStart);
    if (added.length > 0) await this.#learn(subject, conversation, added, signal);
    const joined = this.#join(subject, conversation, { tailStart, unknown: [] });
    return { context: { ...joined, decision: 'taken', recall: null }, isSure };
  }

  #join(
    subject: ContextSubject,
    { chain, name: session }: CompressedConversation,
    place: { tailStart: number; unknown: readonly number[] },
  ): Omit<ContextEdits, 'decision' | 'recall'> {
    const editsFor = (index: number): MessageEdits =>
      this.#memo.peek(chain[index] as Buffer) ?? sentUnchanged;
    return { ...joinEdits(subject, editsFor, place), session };
  }

  /**
   * A message of an earlier request up to the last cache marker is sent unchanged if its earlier form is lost. A
   * marker has no effect on new messages, because agents always mark the newest message.
   */
  #protectMarked(
    { accountId, outline, candidates }: ContextSubject,
    conversation: CompressedConversation,
    tailStart: number,
  ): void {
    const marked = Math.min(tailStart - 1, findLastMarked(outline));
    const known = candidates.filter((index) => index <= marked);
    for (const index of this.#unknownOf(conversation, known))
      this.#memo.keep(accountId, conversation.chain[index] as Buffer, sentUnchanged);
  }

  /** Returns whether the sent form of every message from earlier requests is known. */
  async #restore(
    subject: ContextSubject,
    conversation: CompressedConversation,
    sentBefore: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { accountId, requestId, pinned } = subject;
    // For a repeated request, loads the first sent form of its newest messages.
    await this.#load(accountId, conversation, subject.candidates, signal);
    const lost = this.#unknownOf(conversation, sentBefore);
    if (lost.length === 0 || pinned === undefined) return true;
    const insist = <Answer>(ask: (until: AbortSignal) => Promise<Answer>): Promise<Answer> =>
      pinned.wait?.insist(ask, signal) ?? ask(signal);
    try {
      const turns = new Map(
        lost.map((index) => [index, nameTurn(conversation, findTurn(subject.outline, index))]),
      );
      const links = lost.map((index) => conversation.chain[index] as Buffer);
      const ask = (until: AbortSignal) => pinned.find([...new Set(turns.values())], until);
      const unchanged = new Set(await insist((until) => this.#memo.orReload(accountId, links, ask(until))));
      for (const index of lost)
        if (unchanged.has(turns.get(index) ?? ''))
          this.#memo.keep(accountId, conversation.chain[index] as Buffer, sentUnchanged);
      const unknown = this.#unknownOf(conversation, subject.candidates);
      if (!unknown.some((index) => lost.includes(index))) return true;
      const learned = await insist((until) =>
        this.#askFor(subject, conversation, unknown, until, until !== signal),
      );
      await this.#keepLearned(accountId, conversation, unknown, learned);
      return true;
    } catch (error) {
      this.#log.warn({ err: error, requestId }, 'compressed messages not restored, sending them unchanged');
      return false;
    }
  }

  async #keepLearned(
    accountId: string,
    { chain }: CompressedConversation,
    unknown: readonly number[],
    learned: ReadonlyMap<number, MessageEdits>,
  ): Promise<void> {
    for (const [at, index] of unknown.entries()) {
      if (at % keptAtOnce === keptAtOnce - 1) await nextTurn();
      // Another request may already have stored a decision, and may already have been sent to the provider.
      if (this.#memo.peek(chain[index] as Buffer) !== undefined) continue;
      const edits = learned.get(index) ?? { ...sentUnchanged, wasLate: false };
      this.#memo.keep(accountId, chain[index] as Buffer, edits);
    }
  }

  #unknownOf({ chain }: CompressedConversation, indexes: readonly number[]): number[] {
    return indexes.filter((index) => this.#memo.peek(chain[index] as Buffer) === undefined);
  }

  /**
   * Chooses the account's compression settings. If the change from the conversation's earlier settings would cost
   * more than it saves, the earlier settings are kept.
   */
  async #chooseSession(
    subject: ContextSubject,
    tailStart: number,
    signal: AbortSignal,
  ): Promise<{ conversation: CompressedConversation; isKept: boolean }> {
    const conversation = this.#open(subject, subject.settings);
    // Messages of the new turn are not looked up, because Redis contains them only if the request is a repetition.
    const sentBefore = subject.candidates.filter((index) => index < tailStart);
    await this.#load(subject.accountId, conversation, sentBefore, signal);
    const isKnown = (opened: CompressedConversation): boolean =>
      this.#unknownOf(opened, sentBefore).length < sentBefore.length;
    const isDear = sentBefore.length > 0 && conversation.clearedBefore === 0 && isRewriteDear(subject.model);
    if (!isDear || isKnown(conversation)) return { conversation, isKept: false };
    for (const settings of otherSettings(subject)) {
      const earlier = this.#open(subject, settings);
      await this.#load(subject.accountId, earlier, sentBefore, signal);
      if (isKnown(earlier)) return { conversation: earlier, isKept: true };
    }
    return { conversation, isKept: false };
  }

  #open(subject: ContextSubject, settings: ContextSubject['settings']): CompressedConversation {
    if (!settings.recoverable) return openConversation(subject, settings, 0);
    const marked = findLastMarked(subject.outline);
    // Summaries change messages of earlier requests, so only messages after the last cache marker are considered.
    const candidates = subject.candidates.filter((index) => index > marked);
    return openConversation(subject, settings, chooseClear({ ...subject, candidates }));
  }

  async #load(
    accountId: string,
    { chain }: CompressedConversation,
    indexes: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const links = indexes.map((index) => chain[index] as Buffer);
    const forgotten = links.filter((link) => this.#memo.peek(link) === undefined);
    if (forgotten.length > 0) await inTime(this.#memo.load(accountId, forgotten), signal);
  }

  async #learn(
    subject: ContextSubject,
    conversation: CompressedConversation,
    unknown: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const { accountId, pinned, requestId, left } = subject;
    try {
      const learned = await this.#askFor(subject, conversation, unknown, signal);
      await this.#keepLearned(accountId, conversation, unknown, learned);
    } catch (error) {
      if (left.aborted || (pinned !== undefined && pinned.keep === undefined)) return;
      const open = this.#unknownOf(conversation, unknown);
      if (open.length === 0) return;
      for (const index of open)
        this.#memo.keep(accountId, conversation.chain[index] as Buffer, sentUnchanged);
      this.#log.warn({ err: error, requestId }, 'compression failed, sending new messages unchanged');
      await pinned
        ?.keep?.(nameTurn(conversation, findTurn(subject.outline, open[0] ?? 0)))
        .catch((failure: unknown) =>
          this.#log.warn({ err: failure, requestId }, 'unchanged messages not recorded'),
        );
    }
  }

  /**
   * Compresses the messages after the last turn. If the compressor or the cache has lost earlier messages, the
   * request to the compressor contains the whole conversation.
   */
  async #askFor(
    subject: ContextSubject,
    conversation: CompressedConversation,
    unknown: readonly number[],
    signal: AbortSignal,
    isPatient = false,
  ): Promise<Map<number, MessageEdits>> {
    const marks = markMessages(subject, conversation, this.#memo);
    const begin = findBeginning(subject, unknown);
    const { parts: all } = subject;
    const parts = begin === 0 ? all : all.filter(({ message }) => message >= begin);
    const question = renderQuestion(subject, conversation, { marks, begin, parts });
    const reply = await this.#compressor.compress(question, signal, undefined, isPatient);
    if (reply.status === 'compressed') return collectEdits(parts, reply.results);
    if (reply.status === 'unsupported') throw lacks('the version of the conversation');
    const whole = renderQuestion(subject, conversation, { marks, begin: 0, parts: all });
    const again = await this.#compressor.compress(whole, signal, reply.instanceId, isPatient);
    if (again.status === 'compressed') return collectEdits(all, again.results);
    throw lacks('the conversation after a full request');
  }

  /**
   * Returns a function that reads an original text from the store. If the stored text has expired, the function
   * recreates the text from the conversation.
   */
  #recallIn(subject: ContextSubject, conversation: CompressedConversation): RecallOriginal {
    return async (id, signal) => {
      // The marker id may be invalid, because the model wrote it.
      if (!markerId.safeParse(id).success) return null;
      const { accountId } = subject;
      const question = { accountId, session: conversation.name, ids: [id] };
      const stored = await this.#compressor.recall(question, signal).then(
        ([original]) => original ?? null,
        () => null,
      );
      if (stored !== null) return stored;
      const marks = markMessages(subject, conversation, this.#memo);
      const whole = renderQuestion(subject, conversation, { marks, begin: 0, parts: subject.parts });
      const reply = await this.#compressor.compress({ ...whole, recall: id }, signal);
      return reply.status === 'compressed' ? (reply.original ?? null) : null;
    };
  }
}

function lacks(what: string): GatewayError {
  return new GatewayError('service_unavailable', { detail: `the compressor lacks ${what}` });
}

/** Waits until the task ends or the signal aborts. The caller must pass a task that never rejects. */
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
