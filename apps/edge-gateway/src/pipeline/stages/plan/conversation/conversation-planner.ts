import type { PlannedConversation } from '@gateway/contracts';
import { hash } from 'node:crypto';
import type { MessageOutline, RequestOutline, ToolOutline } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Caller, ParsedRequest, Target } from '../../../../request/request.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import type { Deferral, PlannedReply, ConversationKeys } from '../../../exchange/tool-plan.ts';
import {
  conversationContext,
  countSentTokens,
  isRecoveryPermitted,
  priceOf,
  toolContext,
} from './router-question.ts';
import type { PlanQuestion, PlanSubject, Planner } from '../router/planner.port.ts';
import { deriveKey, type Conversation } from '../../../../request/conversation.ts';
import { marksInTranslation } from '../../../../request/prompt-caching.ts';
import type { ConversationMemo, FirstRequests, RememberedConversation } from './conversation-memo.ts';
import { TurnShortener } from './shorten-turn.ts';

/** A chat request with tools, and the target that it is planned for. */
export interface ConversationSubject extends PlanSubject {
  readonly request: ParsedRequest;
  readonly target: Target;
  readonly exchange: Exchange;
  readonly caller: Caller;
  /** Deferral, if it replaces pruning for this request. */
  readonly deferral?: Deferral | undefined;
  /** Whether bound reasoning forbids changes to the conversation's tools, including recovery. */
  readonly isBound?: boolean;
  /** Whether user turns can load deferred tools at the end of the conversation. */
  readonly loadsTools?: boolean;
}

/** The tool set that this request sends. */
export interface ConversationPlan {
  readonly reply: PlannedReply;
  readonly keys: ConversationKeys;
  /** Tools that the model requested in its last turn and that this request adds. */
  readonly requested: readonly number[];
  /** Whether tool definitions may be shortened. False in a conversation that started with unshortened definitions. */
  readonly mayShortenSchemas: boolean;
}

interface ConversationPlannerOptions {
  readonly planner: Planner;
  readonly memo: ConversationMemo;
  readonly catalog: ModelCatalog;
  readonly firstRequests: FirstRequests;
  /** Whether the operator has enabled recovery on this gateway. */
  readonly hasRecovery: boolean;
}

/**
 * Plans a request as part of its conversation. Sends the stored state of the conversation to the router, and
 * stores the new state from the router's reply.
 */
export class ConversationPlanner {
  readonly #options: ConversationPlannerOptions;
  readonly #turns = new TurnShortener();

  constructor(options: ConversationPlannerOptions) {
    this.#options = options;
  }

  /**
   * Plans one request of the conversation. The promise is rejected if planning fails, and the request is sent with
   * all tools. After a request with all tools, a later plan prunes tools only if the savings exceed the cost of
   * rewriting the provider's prompt cache. A conversation with pruned tools keeps its previous tool set.
   */
  async plan(subject: ConversationSubject, signal: AbortSignal): Promise<ConversationPlan> {
    const { request, caller, list } = subject;
    const keys = deriveKeys(caller.accountId, list.listHash, request.conversation);
    const { memo } = this.#options;
    const known = keys.before === null ? undefined : await memo.find(caller.accountId, keys.before, signal);
    const question = this.#questionOf(subject, keys, known);
    try {
      const reply = await this.#options.planner.selectTools(subject, question, signal);
      memo.keep(caller.accountId, keys.here, rememberReply(reply, question, known, subject.tools));
      const requested = known?.requested ?? [];
      return { reply, keys, requested, mayShortenSchemas: known?.hasPlainSchemas !== true };
    } catch (error) {
      this.#keepLate(keys, subject, question, known);
      throw error;
    }
  }

  /**
   * Stores the tools that recovery rounds recovered. In `regrown` mode, recovered tools are forwarded
   * from the next turn on.
   * @param requested tools that the model requested together with calls to client tools. The model has not received
   * the definitions of the requested tools yet.
   */
  addRecovered(
    { accountId, here }: ConversationKeys,
    positions: readonly number[],
    requested: readonly number[] = [],
  ): void {
    const found = this.#options.memo.peek(here);
    if (found === undefined) return;
    const recovered = [...new Set([...found.recovered, ...positions])];
    this.#options.memo.keep(accountId, here, { ...found, recovered, requested });
  }

  /** Records that all later requests of this conversation send unshortened tool definitions. */
  keepPlainSchemas({ accountId, here }: ConversationKeys): void {
    const found = this.#options.memo.peek(here);
    if (found === undefined) return;
    this.#options.memo.keep(accountId, here, { ...found, hasPlainSchemas: true });
  }

  #questionOf(
    subject: ConversationSubject,
    keys: ConversationKeys,
    known: RememberedConversation | undefined,
  ): PlanQuestion {
    const { request, target, tools, caller, deferral, isBound, loadsTools } = subject;
    const { outline } = request;
    const model = this.#options.catalog.find(target.provider.name, target.model);
    const shadow = this.#shadowOf(caller, keys);
    const recovered = known?.recovered.flatMap((position) => tools[position]?.name ?? []) ?? [];
    return {
      accountId: caller.accountId,
      requestId: subject.exchange.requestId,
      ...conversationContext(outline.messages, (turn) => this.#shorten(turn, request, caller)),
      ...toolContext(outline, tools, known?.systemTools),
      kOverride: caller.kTargetOverride,
      recallTarget: caller.pruning.recallTarget,
      price: priceOf(model, tools, outline, {
        deferralMode: deferral?.mode,
        marksCache: marksInTranslation(model, target, caller),
      }),
      // With deferral, the provider's own search finds the deferred tools.
      mayRecover:
        deferral === undefined
          ? this.#options.hasRecovery && isBound !== true && isRecoveryPermitted(outline, caller)
          : deferral.mode === 'deferred',
      ...(loadsTools === true ? { appends: true } : {}),
      ...(isBound === true && deferral?.mode === 'deferred'
        ? { deferredCost: outline.format === 'responses' ? 'description' : 'nothing' }
        : {}),
      ...(isBound === true && deferral === undefined ? { isFinal: true } : {}),
      ...(known === undefined ? {} : { session: renderRemembered(known, outline) }),
      ...(recovered.length === 0 ? {} : { recoveredTools: recovered }),
      ...(shadow === undefined ? {} : { shadow }),
    };
  }

  #shorten(turn: MessageOutline, { known, bytes }: ParsedRequest, { accountId }: Caller): string {
    const shorten = (): string => this.#turns.shorten(accountId, turn, bytes);
    return known === undefined ? shorten() : known.shortText(turn.index, shorten);
  }

  /**
   * Returns the inputs from which shadow conversations are selected. In shadow mode, every conversation is a shadow
   * conversation. Outside shadow mode, requests of the demo account and each account's first requests are never in
   * shadow conversations.
   */
  #shadowOf(
    { accountId, isDemo, shadowShare, shadowShareLearning, pruning }: Caller,
    keys: ConversationKeys,
  ): PlanQuestion['shadow'] {
    if (pruning.mode === 'shadow') return { at: 0, share: 1, learning: 1 };
    if (isDemo || shadowShare === 0) return undefined;
    return this.#options.firstRequests.hasPassed(accountId)
      ? { at: drawOf(keys), share: shadowShare, learning: shadowShareLearning }
      : undefined;
  }

  #keepLate(
    { accountId, here }: ConversationKeys,
    { tools }: ConversationSubject,
    { price, userTurns, systemTools = [] }: PlanQuestion,
    known: RememberedConversation | undefined,
  ): void {
    const isCached = price !== undefined && price.cacheRead !== null;
    const late = known?.isUndecided === true && isCached ? { lateTokens: known.lateTokens ?? 0 } : {};
    if (known !== undefined) return this.#options.memo.keep(accountId, here, { ...known, ...late });
    if (!isCached) return;
    this.#options.memo.keep(accountId, here, {
      forwarded: [...tools.keys()],
      turns: userTurns.length,
      policyVersion: 'late',
      lane: 'keyword',
      way: null,
      isShadow: false,
      recovered: [],
      hasPlainSchemas: false,
      requested: [],
      isUndecided: true,
      lateTokens: 0,
      systemTools,
    });
  }
}

/** Number of hex digits of a tool list's hash in the log. 16 digits are enough for the tool lists of one account. */
const toolListLength = 16;

function deriveKeys(
  accountId: string,
  listHash: string,
  { here, before, key }: Conversation,
): ConversationKeys {
  const owner = `${accountId}\n${listHash}`;
  return {
    accountId,
    here: deriveKey(owner, here),
    before: before === null ? null : deriveKey(owner, before),
    conversation: deriveKey(owner, key),
    toolList: listHash.slice(0, toolListLength),
  };
}

/** Returns a number from 0 to 1 that is constant for a given account, tool list and conversation. */
function drawOf({ conversation }: ConversationKeys): number {
  return hash('sha256', `shadow\n${conversation}`, 'buffer').readUInt32BE(0) / 0x1_0000_0000;
}

/**
 * If the plan was late, `lateTokens` covers all sent tokens until the tool set is decided. After the decision,
 * `lateTokens` stays constant.
 */
function renderRemembered(known: RememberedConversation, outline: RequestOutline): PlannedConversation {
  const { forwarded, turns, policyVersion, lane, way, isShadow, isUndecided, lateTokens } = known;
  return {
    ...{ forwarded, turns, policyVersion, lane, way, isShadow, isUndecided },
    ...(lateTokens === null ? {} : { lateTokens: isUndecided ? countSentTokens(outline) : lateTokens }),
  };
}

/** Renders the conversation state. If the client forces a tool, the tool is stored as recovered. */
function rememberReply(
  reply: PlannedReply,
  { userTurns, forcedTools, session, systemTools = [] }: PlanQuestion,
  known: RememberedConversation | undefined,
  tools: readonly ToolOutline[],
): RememberedConversation {
  const { forwarded, chosen = forwarded, recovery, isShadow, isUndecided } = reply;
  const named = new Set(forcedTools);
  const forced = tools.flatMap(({ name }, at) => (named.has(name ?? '') ? [at] : []));
  const decided = known?.isUndecided === true ? undefined : known;
  return {
    forwarded: chosen,
    turns: userTurns.length,
    policyVersion: decided?.policyVersion ?? reply.policyVersion,
    lane: decided?.lane ?? reply.method,
    way: reply.way === undefined ? (recovery.armed ? recovery.way : null) : reply.way,
    isUndecided,
    lateTokens: session?.lateTokens ?? null,
    isShadow,
    recovered: [...new Set([...(known?.recovered ?? []), ...forced])],
    hasPlainSchemas: known?.hasPlainSchemas ?? false,
    requested: [],
    systemTools,
  };
}
