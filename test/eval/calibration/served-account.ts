import { runAtOnce } from '@gateway/messaging';
import type { RoutingPolicy } from '@gateway/contracts';
import {
  choosePlan,
  shareOfShadow,
  type PlannedTools,
} from '../../../apps/tool-router/src/plan-tools/choose-plan.ts';
import { recallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import type { TurnRanking } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import type { KeywordIndex } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import {
  defineTool,
  indexTools,
  planRequest,
} from '../../../apps/tool-router/src/tool-index/tools.fixture.ts';
import type { SimulatedAccount } from './simulated-account.ts';

/** The tokens per tool definition. The evaluation uses Claude models' prompt cache prices. */
const toolTokens = 200;
const price = { cacheRead: 0.1, cacheWrite: 1.25, output: 5, cachedTokensMin: 1024, headTokens: 2_000 };
/**
 * The usual share of shadow conversations, and the share for accounts with few measurements (see
 * `accountPolicy`).
 */
export const shadowShares = { share: 0.05, learning: 0.2 } as const;
/** The confidence of every user turn. The turn counts neither as unsure nor as certain. */
const confidence = 0.5;
const turn = 'Please do the next task.';

export interface ServedPlan {
  readonly plan: PlannedTools;
  readonly forwarded: ReadonlySet<number>;
  readonly isArmed: boolean;
}

/**
 * A simulated account that uses the real tool router. The tool with rank r is at index r − 1 of the
 * ranking.
 */
export class ServedAccount {
  readonly account: SimulatedAccount;
  readonly #index: KeywordIndex;
  readonly #ranking: TurnRanking;
  readonly #mayRecover: boolean;
  readonly #recallTarget: number;
  readonly #plans = new WeakMap<RoutingPolicy, ServedPlan>();
  #prior: ServedPlan | undefined;
  #labels: Int32Array | undefined;

  constructor(account: SimulatedAccount, recallTarget: number, mayRecover: boolean) {
    this.account = account;
    this.#recallTarget = recallTarget;
    this.#mayRecover = mayRecover;
    this.#index = listTools(account.tools);
    this.#ranking = rankInOrder(account.tools);
  }

  /** Returns the tool router's plan for a new conversation. */
  serve(policy: RoutingPolicy | null): ServedPlan {
    const known = policy === null ? this.#prior : this.#plans.get(policy);
    if (known !== undefined) return known;
    const plan = this.#plan(policy, false);
    const served = { plan, forwarded: new Set(plan.forwarded), isArmed: plan.recovery.armed };
    if (policy === null) this.#prior = served;
    else this.#plans.set(policy, served);
    return served;
  }

  /** Returns the probability that the tool router makes a conversation a shadow conversation. */
  shareOf(policy: RoutingPolicy | null): number {
    const { kReason, bucket } = this.serve(policy).plan;
    // A conversation with at most eight tools never becomes a shadow conversation.
    // Any conversation with a longer tool list can become a shadow conversation.
    const reason = kReason === 'short_list' ? kReason : 'prior';
    return shareOfShadow({ shadow: { at: 0, ...shadowShares } }, reason, policy, bucket);
  }

  /** Returns the smallest K at which the tool router forwards the tool with the given rank. */
  labelOf(rank: number): number {
    this.#labels ??= this.#readLabels();
    return this.#labels[rank - 1] ?? this.account.tools;
  }

  get bucket(): string {
    return this.serve(null).plan.bucket;
  }

  #readLabels(): Int32Array {
    const labels = new Int32Array(this.account.tools);
    for (const { position, heldFromK = this.account.tools } of this.#plan(null, true).candidates)
      labels[position] = heldFromK;
    return labels;
  }

  #plan(policy: RoutingPolicy | null, isShadow: boolean): PlannedTools {
    const ranked = { ranking: this.#ranking, mentioned: [], carriesOn: false };
    const pieces = choosePlan({
      request: {
        ...planRequest({ listHash: this.#index.listHash, userTurns: [turn] }),
        ...{ recallTarget: this.#recallTarget, mayRecover: this.#mayRecover },
        price: { ...price, listTokens: this.account.tools * toolTokens },
        ...(isShadow ? { shadow: { at: 0, share: 1, learning: 1 } } : {}),
      },
      ...{ index: this.#index, turns: [ranked], rememberedTurns: 0, newest: this.#ranking },
      ...{ mentioned: new Set<number>(), priors: recallPriors, measured: policy },
    });
    return runAtOnce(pieces);
  }
}

const indexes = new Map<number, KeywordIndex>();

function listTools(tools: number): KeywordIndex {
  const known = indexes.get(tools);
  if (known !== undefined) return known;
  const index = indexTools(Array.from({ length: tools }, (_, at) => defineTool(`tool_${at + 1}`)));
  indexes.set(tools, index);
  return index;
}

function rankInOrder(tools: number): TurnRanking {
  return {
    scores: Float64Array.from({ length: tools }, (_, at) => 1 / (at + 2)),
    order: Uint32Array.from({ length: tools }, (_, at) => at),
    topScore: confidence,
    namesTop: false,
    confidence,
    evidence: 2,
    method: 'semantic',
    methodReason: 'semantic',
    rankedBy: 'semantic.simulated',
  };
}
