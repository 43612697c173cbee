import type { PlanToolsReply, PlanToolsRequest } from '@gateway/contracts';
import type { ToolRanker } from '../ranking/ranker.port.ts';
import type { ToolListIndex } from '../ranking/tool-list-index.ts';
import { choosePlan } from './choose-plan.ts';
import type { KPolicy } from './k-policy.ts';
import { MemoizedMentions } from './memoized-mentions.ts';
import { growingTurnsMax, type RankedTurn } from './session-set.ts';
import type { ToolLists } from './tool-lists.port.ts';

export interface ToolPlannerOptions {
  readonly lists: ToolLists;
  readonly ranker: ToolRanker;
  readonly policy: KPolicy;
  /** Told to the edge when definitions are missing, so that it sends them here. */
  readonly instanceId: string;
}

/** Answers which tools to forward. */
export class ToolPlanner {
  readonly #options: ToolPlannerOptions;
  readonly #mentions = new MemoizedMentions();

  constructor(options: ToolPlannerOptions) {
    this.#options = options;
  }

  /** @throws GatewayError `invalid_field` when the list's hash is not that of its tools. */
  async plan(request: PlanToolsRequest): Promise<PlanToolsReply> {
    const { lists, ranker, policy, instanceId } = this.#options;
    const found = lists.find(request.listHash, request.toolHashes);
    if (found.status === 'unknown') return { status: 'unknown', missing: found.missing, instanceId };
    const { index } = found;
    const turns = await this.#rankTurns(index, request.userTurns);
    const newestAt = request.userTurns.length - 1;
    const mentioned = new Set(request.userTurns.flatMap((turn) => this.#mentions.find(index, turn)));
    const newest =
      turns[newestAt]?.ranking ??
      (newestAt < 0 ? undefined : await ranker.rank(index, request.userTurns, newestAt));
    return choosePlan({ request, index, turns, newest, mentioned, method: ranker.method, policy });
  }

  async #rankTurns(index: ToolListIndex, userTurns: readonly string[]): Promise<RankedTurn[]> {
    const turns: RankedTurn[] = [];
    for (let at = 0; at < Math.min(userTurns.length, growingTurnsMax); at += 1) {
      const ranking = await this.#options.ranker.rank(index, userTurns, at);
      turns.push({ ranking, mentioned: this.#mentions.find(index, userTurns[at] ?? '') });
    }
    return turns;
  }
}
