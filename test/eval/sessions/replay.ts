import type { PlanPrice, RoutingPolicy } from '@gateway/contracts';
import type { RecallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import type { ToolRanker } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import type { KeywordIndex } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { BilledCall } from './bill.ts';
import type { EvalList, EvalSession } from './eval-session.ts';

/** A session with a list, prepared for replays under many settings. */
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
  /** The method by which pruned tools stay reachable. With `priced`, the router chooses the recovery mode. */
  readonly net: 'none' | 'priced' | 'in_place' | 'regrown';
  readonly price: Omit<PlanPrice, 'listTokens' | 'headTokens'>;
  /** The account's policy. Without one, the shipped priors apply. */
  readonly policy?: RoutingPolicy | null;
  /** Makes the session a shadow conversation, so that its plan is labelled. */
  readonly isShadow?: boolean;
}

export interface ReplayOutcome {
  readonly calls: readonly BilledCall[];
  /**
   * The number of the session's tool calls. `forwarded` counts the calls to tools that the plan itself
   * forwarded.
   */
  readonly needs: number;
  readonly forwarded: number;
  /**
   * For each call to a pruned tool, the number of needs of that tool up to this call. Each need is one chance
   * to use recovery.
   */
  readonly chances: readonly number[];
  /** The number of recovery rounds if the model uses recovery at the first chance. */
  readonly rounds: number;
  /** The mean share of the list that was forwarded. */
  readonly kept: number;
  /** The needed tools that were pruned at their first need. */
  readonly missed: readonly string[];
  /** Whether recovery was armed by the request that determined the tool set. */
  readonly isArmed: boolean;
  /**
   * The bucket of the session. With `isShadow`, `heldFromK` has the label of each needed tool at its first
   * need.
   */
  readonly bucket: string;
  readonly heldFromK: ReadonlyMap<string, number>;
}
