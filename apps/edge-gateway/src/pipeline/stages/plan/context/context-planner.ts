import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { ContextPart } from '@gateway/wire-formats';
import { formatNamed } from '@gateway/wire-formats';
import type { CompressBlocksReply, CompressBlocksRequest, RecallOriginalsRequest } from '@gateway/contracts';
import { markerId } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { Caller, ParsedRequest, Target } from '../../../../request/request.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { acceptsRecoveryTool } from '../../../recovery/build-recovery.ts';
import type { ContextEdits } from '../../../exchange/tool-plan.ts';
import { noContextEdits } from '../../../exchange/tool-plan.ts';
import type { ContextSubject } from './context-subject.ts';
import { listCandidates, otherSettings } from './context-subject.ts';
import { isLarge, isReasoningBound } from '../../../../request/request-facts.ts';
import { chooseClear, isRewriteDear, priceContext } from './context-pricing.ts';
import type { MessageEdits } from './context-edits.ts';
import { collectEdits, joinEdits, sentUnchanged } from './context-edits.ts';
import type { ContextMemo } from './context-memo.ts';
import type { CompressedConversation } from './compression-request.ts';
import { findBeginning, markMessages, openConversation, renderQuestion } from './compression-request.ts';
import type { RecallOriginal } from '../../../recovery/recovery.ts';

interface ContextServices {
  readonly context: ContextPlanner;
  readonly catalog: ModelCatalog;
}

/**
 * Plans the compression of a conversation. Returns no edits if compression is not permitted or nothing can be
 * compressed.
 */
export async function planContext(
  request: ParsedRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  { context, catalog }: ContextServices,
  signal: AbortSignal,
): Promise<ContextEdits> {
  const { tape, outline } = request;
  const { accountId, compression } = caller;
  const { mode } = compression;
  if (mode === 'off') return noContextEdits;
  const candidates = listCandidates(outline);
  const isRecallable = isRecallEnabled(caller);
  const canRecall = isRecallable && acceptsRecoveryTool(request);
  if (candidates.length === 0 && !canRecall) return noContextEdits;
  const model = catalog.find(target.provider.name, target.model);
  if (isReasoningBound(request, target, model)) return noContextEdits;
  if (candidates.length === 0) return { ...noContextEdits, recall: () => Promise.resolve(null) };
  if (isLarge(request.bytes)) await nextTurn();
  const planned = await context.plan(
    {
      format: formatNamed(exchange.format),
      tape,
      outline,
      candidates,
      requestId: exchange.requestId,
      left: exchange.abort.signal,
      accountId,
      settings: { mode, recoverable: canRecall },
      isRecallable,
      model,
    },
    signal,
  );
  exchange.contextPrice = priceContext(model, planned.tokens, exchange.acceptedAt.getTime());
  return canRecall ? planned : { ...planned, recall: null };
}

/** Returns whether the account lets models recall removed text with the gateway's recovery tool. */
function isRecallEnabled({ compression, pruning }: Caller): boolean {
  return compression.mode === 'balanced' && pruning.recovery && pruning.mode !== 'off';
}

/** Client for the compressor service. */
export interface CompressorClient {
  /**
   * Calls any instance. With `instanceId`, calls the instance that replied that it lacks the conversation.
   */
  compress(
    request: CompressBlocksRequest,
    signal: AbortSignal,
    instanceId?: string,
  ): Promise<CompressBlocksReply>;
  recall(request: RecallOriginalsRequest, signal: AbortSignal): Promise<(string | null)[]>;
}

/** Number of messages that are stored without a pause. Each message is encrypted, which takes about 20 µs. */
const keptAtOnce = 256;

/**
 * Chooses the form in which the text of a conversation is sent. Each message is compressed once, when it
 * arrives. Later turns send the same bytes, either from the memo or by repeating the same computation.
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
   * Never throws. A message that was not compressed in time is sent unchanged, now and in every later turn.
   */
  async plan(subject: ContextSubject, signal: AbortSignal): Promise<ContextEdits> {
    const { outline, candidates } = subject;
    const tailStart = outline.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    const { conversation, isKept } = await this.#chooseSession(subject, tailStart, signal);
    const unknown = this.#unknownOf(conversation, candidates);
    const isCleared = conversation.clearedBefore > 0 && (unknown[0] ?? Infinity) < tailStart;
    if (unknown.length > 0) await this.#learn(subject, conversation, unknown, signal);
    const editsFor = (index: number): MessageEdits =>
      this.#memo.peek(conversation.chain[index] as Buffer) ?? sentUnchanged;
    const joined = joinEdits(subject, editsFor, { tailStart, unknown });
    return {
      ...joined,
      session: conversation.name,
      decision: isKept ? 'kept' : isCleared ? 'cleared' : 'taken',
      recall: conversation.settings.recoverable ? this.#recallIn(subject, conversation) : null,
    };
  }

  #unknownOf({ chain }: CompressedConversation, indexes: readonly number[]): number[] {
    return indexes.filter((index) => this.#memo.peek(chain[index] as Buffer) === undefined);
  }

  /**
   * Uses the account's settings, with one exception. If the conversation started under other settings and a
   * change would cost more than it saves, the earlier settings still apply.
   */
  async #chooseSession(
    subject: ContextSubject,
    tailStart: number,
    signal: AbortSignal,
  ): Promise<{ conversation: CompressedConversation; isKept: boolean }> {
    const conversation = this.#open(subject, subject.settings);
    // Messages in the new turn are not looked up, because Redis has them only if the request is repeated.
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
    return openConversation(subject, settings, settings.recoverable ? chooseClear(subject) : 0);
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
    const { chain } = conversation;
    const { accountId } = subject;
    try {
      const learned = await this.#askFor(subject, conversation, unknown, signal);
      for (const [at, index] of unknown.entries()) {
        if (at % keptAtOnce === keptAtOnce - 1) await nextTurn();
        const edits = learned.get(index) ?? { ...sentUnchanged, wasLate: false };
        this.#memo.keep(accountId, chain[index] as Buffer, edits);
      }
    } catch (error) {
      const { requestId, left } = subject;
      if (left.aborted) return;
      for (const index of unknown) this.#memo.keep(accountId, chain[index] as Buffer, sentUnchanged);
      this.#log.warn({ err: error, requestId }, 'compression failed, sending new messages unchanged');
    }
  }

  /**
   * Compresses the messages after the last turn. If the compressor or the memo lost the beginning, the
   * function sends the whole conversation.
   */
  async #askFor(
    subject: ContextSubject,
    conversation: CompressedConversation,
    unknown: readonly number[],
    signal: AbortSignal,
  ): Promise<Map<number, MessageEdits>> {
    const marks = markMessages(subject, conversation, this.#memo);
    const begin = findBeginning(subject, unknown);
    const listParts = (from: number): ContextPart[] => subject.format.client.listContext(subject.tape, from);
    const parts = listParts(begin);
    const question = renderQuestion(subject, conversation, { marks, begin, parts });
    const reply = await this.#compressor.compress(question, signal);
    if (reply.status === 'compressed') return collectEdits(subject, parts, reply.results);
    const all = begin === 0 ? parts : listParts(0);
    const whole = renderQuestion(subject, conversation, { marks, begin: 0, parts: all });
    const again = await this.#compressor.compress(whole, signal, reply.instanceId);
    if (again.status === 'compressed') return collectEdits(subject, all, again.results);
    throw new GatewayError('service_unavailable', {
      detail: 'the compressor still lacks the conversation after a full request',
    });
  }

  /**
   * Returns a function that reads an original from the store. If the original has expired there, the function
   * recreates it from the conversation.
   */
  #recallIn(subject: ContextSubject, conversation: CompressedConversation): RecallOriginal {
    return async (id, signal) => {
      // The id comes from the model and may be invalid.
      if (!markerId.safeParse(id).success) return null;
      const { accountId } = subject;
      const question = { accountId, session: conversation.name, ids: [id] };
      const stored = await this.#compressor.recall(question, signal).then(
        ([original]) => original ?? null,
        () => null,
      );
      if (stored !== null) return stored;
      const marks = markMessages(subject, conversation, this.#memo);
      const parts = subject.format.client.listContext(subject.tape, 0);
      const whole = renderQuestion(subject, conversation, { marks, begin: 0, parts });
      const reply = await this.#compressor.compress({ ...whole, recall: id }, signal);
      return reply.status === 'compressed' ? (reply.original ?? null) : null;
    };
  }
}

/** Waits for a task that never fails, until the task ends or the signal aborts. */
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
