import type { PlanPrice, PlanToolsRequest, RoutingPolicy } from '@gateway/contracts';
import type { RecallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import type { ToolRanker } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import type { KeywordIndex } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { BilledCall } from './bill.ts';
import type { EvalList, EvalSession } from './eval-session.ts';

/** A session and a tool list, prepared for replays with many settings. */
export interface ReplaySubject {
  readonly session: EvalSession;
  readonly list: EvalList;
  readonly index: KeywordIndex;
  readonly ranker: ToolRanker;
  readonly priors: RecallPriors;
}

export interface ReplaySettings {
  readonly recallTarget: number;
  readonly kOverride: number | null;
  /**
   * How the model reaches pruned tools. With `priced`, the tool router chooses the recovery mode by
   * price.
   */
  readonly net: 'none' | 'priced' | 'in_place' | 'regrown';
  readonly price: Omit<PlanPrice, 'listTokens' | 'headTokens'>;
  /** The account's routing policy. Without a routing policy, the shipped priors apply. */
  readonly policy?: RoutingPolicy | null;
  /**
   * Makes the session a shadow conversation. The plan of a shadow conversation contains the smallest K that
   * forwards each tool.
   */
  readonly isShadow?: boolean;
  /** Whether later user turns load tools at the end of the conversation. */
  readonly appends?: boolean;
  /** What a deferred tool costs, if the provider defers tools. */
  readonly deferredCost?: PlanToolsRequest['deferredCost'];
  /** Whether the tool set is final and no pruned tool is reachable, as without deferral behind bound reasoning. */
  readonly isFinal?: boolean;
}

export interface ReplayOutcome {
  readonly calls: readonly BilledCall[];
  /**
   * The number of tool calls in the session. `forwarded` counts calls to tools that the plan forwarded.
   */
  readonly needs: number;
  readonly forwarded: number;
  /**
   * For each time that the model needed a pruned tool, how often it had needed the tool by then. Each of these
   * times was a chance for recovery.
   */
  readonly chances: readonly number[];
  /** The number of recovery rounds if the model uses recovery at its first opportunity. */
  readonly rounds: number;
  /** The mean share of the tool list that was forwarded to the model. */
  readonly kept: number;
  /** The needed tools that were not forwarded when the model first needed them. */
  readonly missed: readonly string[];
  /** Whether recovery was available in the request that determined the tool set. */
  readonly isArmed: boolean;
  /**
   * The session's bucket. With `isShadow`, `heldFromK` maps each needed tool to the smallest K that forwards
   * it.
   */
  readonly bucket: string;
  readonly heldFromK: ReadonlyMap<string, number>;
  /** `heldFromK` with the account head of the routing policy. Empty if no account head fits. */
  readonly learnedFromK: ReadonlyMap<string, number>;
}
