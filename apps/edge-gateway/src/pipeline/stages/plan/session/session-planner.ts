import type { PlannedConversation } from '@gateway/contracts';
import { hash } from 'node:crypto';
import type { ToolOutline } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Caller, ParsedRequest, Target } from '../../../../request/request.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import type { NativeSelection, SessionNames, PlannedReply } from '../../../exchange/tool-plan.ts';
import { namesInToolChoice } from '../../../../request/request-facts.ts';
import { conversationContext } from '../conversation-context.ts';
import type { Planner, PlanQuestion, PlanSubject } from '../planner.ts';
import type { FirstRequests } from './first-requests.ts';
import { mayRecover } from './may-recover.ts';
import { nameSession } from './name-session.ts';
import { priceOf } from './plan-price.ts';
import type { RememberedSession, SessionMemo } from './session-memo.ts';

/** A chat request with tools, on its way to a model. */
export interface SessionSubject extends PlanSubject {
  readonly request: ParsedRequest;
  readonly target: Target;
  readonly exchange: Exchange;
  readonly caller: Caller;
  /** The provider's own way, where one is to take the place of leaving tools out. */
  readonly native?: NativeSelection | undefined;
}

/** What a session's tools are to be with this request, and what is remembered for the next one. */
export interface SessionPlan {
  readonly reply: PlannedReply;
  readonly names: SessionNames;
  /** Tools that the model asked about in its last turn, and is to be told of with this one. */
  readonly asked: readonly number[];
  /** Whether definitions may go out shorter: not in a session that was begun with the client's own. */
  readonly mayShortenSchemas: boolean;
}

export interface SessionPlannerOptions {
  readonly planner: Planner;
  readonly memo: SessionMemo;
  readonly catalog: ModelCatalog;
  readonly firstRequests: FirstRequests;
  /** Whether this gateway has the safety net. */
  readonly hasNet: boolean;
}

/** Plans requests as parts of their sessions: asks the router with what is remembered, and remembers what it said. */
export class SessionPlanner {
  readonly #options: SessionPlannerOptions;

  constructor(options: SessionPlannerOptions) {
    this.#options = options;
  }

  /**
   * Rejects as the planner does. Then the request goes out whole; a session that begins so stays whole, wherever a cache
   * holds its prefix, and one that was pruned goes on from where it was.
   */
  async plan(subject: SessionSubject, signal: AbortSignal): Promise<SessionPlan> {
    const { request, caller, list, exchange } = subject;
    const owner = `${caller.accountId}\n${list.listHash}`;
    const names = nameSession(owner, request.outline, request.bytes, clientName(exchange));
    const known = names.before === null ? undefined : await this.#options.memo.find(names.before, signal);
    const question = this.#questionOf(subject, names, known);
    try {
      const reply = await this.#options.planner.selectTools(subject, question, signal);
      this.#options.memo.keep(names.here, rememberReply(reply, question, known, subject.tools));
      const asked = known?.asked ?? [];
      return { reply, names, asked, mayShortenSchemas: known?.hasPlainSchemas !== true };
    } catch (error) {
      this.#keepLate(names, subject, question, known);
      throw error;
    }
  }

  /**
   * Tools that hidden rounds brought back: where the list may grow, they are in it from the next turn on.
   * @param asked tools that the model asked about and could not be told of, since it called the client's beside.
   */
  addRecovered({ here }: SessionNames, positions: readonly number[], asked: readonly number[] = []): void {
    const found = this.#options.memo.peek(here);
    if (found === undefined) return;
    const recovered = [...new Set([...found.recovered, ...positions])];
    this.#options.memo.keep(here, { ...found, recovered, asked });
  }

  /** Nobody said in time how to shorten the definitions: they stay as they are for the session. */
  keepPlainSchemas({ here }: SessionNames): void {
    const found = this.#options.memo.peek(here);
    if (found === undefined) return;
    this.#options.memo.keep(here, { ...found, hasPlainSchemas: true });
  }

  #questionOf(
    { request, target, tools, caller, exchange, native }: SessionSubject,
    names: SessionNames,
    known: RememberedSession | undefined,
  ): PlanQuestion {
    const { outline } = request;
    const model = this.#options.catalog.find(target.provider.name, target.model);
    const share = this.#shadowShare(caller);
    const recovered = known?.recovered.flatMap((position) => tools[position]?.name ?? []) ?? [];
    return {
      accountId: caller.accountId,
      requestId: exchange.requestId,
      ...conversationContext(outline.messages),
      forcedTools: [...namesInToolChoice(outline.toolChoice)],
      pinned: tools.flatMap(pinnedPosition),
      kOverride: caller.kTargetOverride,
      recallTarget: caller.pruning.recallTarget,
      price: priceOf(model, tools, outline, native?.mode),
      // A provider's own search reaches what is deferred, whatever there is of a net.
      mayRecover:
        native === undefined
          ? this.#options.hasNet && mayRecover(outline, caller)
          : native.mode === 'deferred',
      ...(known === undefined ? {} : { session: sessionOf(known) }),
      ...(recovered.length === 0 ? {} : { recoveredTools: recovered }),
      ...(share === 0 ? {} : { shadow: { at: drawOf(names), share } }),
    };
  }

  /** The demo account measures nothing, and no account does with its first requests. */
  #shadowShare({ accountId, isDemo, shadowShare }: Caller): number {
    if (isDemo || shadowShare === 0) return 0;
    return this.#options.firstRequests.hasPassed(accountId) ? shadowShare : 0;
  }

  #keepLate(
    { here }: SessionNames,
    { tools }: SessionSubject,
    { price, userTurns }: PlanQuestion,
    known: RememberedSession | undefined,
  ): void {
    if (known !== undefined) return this.#options.memo.keep(here, known);
    if (price === undefined || price.cacheRead === null) return;
    this.#options.memo.keep(here, {
      forwarded: [...tools.keys()],
      turns: userTurns.length,
      policyVersion: 'late',
      lane: 'keyword',
      way: null,
      isShadow: false,
      recovered: [],
      hasPlainSchemas: false,
      asked: [],
    });
  }
}

function pinnedPosition(tool: ToolOutline, position: number): PlanQuestion['pinned'] {
  if (tool.builtIn) return [{ position, because: 'built_in' }];
  return tool.cacheControl ? [{ position, because: 'cache_control' }] : [];
}

function clientName({ request }: Exchange): string | undefined {
  const given = request.headers['x-svc-session-id'];
  const name = Array.isArray(given) ? given[0] : given;
  return name === '' ? undefined : name;
}

/** From 0 to 1, by account, list and session. */
function drawOf({ session }: SessionNames): number {
  return hash('sha256', `shadow\n${session}`, 'buffer').readUInt32BE(0) / 0x1_0000_0000;
}

function sessionOf(known: RememberedSession): PlannedConversation {
  const { forwarded, turns, policyVersion, lane, way, isShadow } = known;
  return { forwarded, turns, policyVersion, lane, way, isShadow };
}

/** A tool that the client has forced is in like one that was brought back, whether or not it was called then. */
function rememberReply(
  { forwarded, chosen = forwarded, policyVersion, method, recovery, isShadow }: PlannedReply,
  { userTurns, forcedTools }: PlanQuestion,
  known: RememberedSession | undefined,
  tools: readonly ToolOutline[],
): RememberedSession {
  const named = new Set(forcedTools);
  const forced = tools.flatMap(({ name }, at) => (named.has(name ?? '') ? [at] : []));
  return {
    forwarded: chosen,
    turns: userTurns.length,
    policyVersion: known?.policyVersion ?? policyVersion,
    lane: known?.lane ?? method,
    way: recovery.armed ? recovery.way : null,
    isShadow,
    recovered: [...new Set([...(known?.recovered ?? []), ...forced])],
    hasPlainSchemas: known?.hasPlainSchemas ?? false,
    asked: [],
  };
}
