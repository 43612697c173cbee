import type { PlanPrice } from '@gateway/contracts';
import type { RecallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import type { ToolRanker } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import type { KeywordIndex } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { BilledCall } from './bill.ts';
import type { EvalList, EvalSession } from './eval-session.ts';

/** A session against a list, ready to be replayed under many settings. */
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
  /** How what is left out stays reachable. `priced`: as the router chooses. */
  readonly net: 'none' | 'priced' | 'in_place' | 'regrown';
  readonly price: Omit<PlanPrice, 'listTokens' | 'headTokens'>;
}

export interface ReplayOutcome {
  readonly calls: readonly BilledCall[];
  /** Calls of tools that the session makes, and those of them whose tool was forwarded by the plan itself. */
  readonly needs: number;
  readonly forwarded: number;
  /** The others: to each, the how-manieth need of its tool it was, which is how many chances there were to use the net. */
  readonly chances: readonly number[];
  /** Hidden rounds, if the net is used at the first chance. */
  readonly rounds: number;
  /** Mean share of the list that was forwarded. */
  readonly kept: number;
}
