import type { PlanToolsReply, PlanToolsRequest } from '@gateway/contracts';
import type { ToolRanker } from '../ranking/ranker.port.ts';
import type { ToolListIndex } from '../ranking/tool-list-index.ts';
import { choosePlan } from './choose-plan.ts';
import type { KPolicy } from './k-policy.ts';
import { MemoizedMentions } from './memoized-mentions.ts';
import { growingTurnsMax, type RankedTurn } from './session-set.ts';
import type { ToolLists } from './tool-lists.port.ts';
import { TurnMemory } from './turn-memory.ts';

/** Characters of turns kept, at up to two bytes each. */
const turnCharactersMax = 32 * 1024 * 1024;

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
  readonly #turns = new TurnMemory(turnCharactersMax);

  constructor(options: ToolPlannerOptions) {
    this.#options = options;
  }

  /** @throws GatewayError `invalid_field` when the list's hash is not that of its tools. */
  async plan(request: PlanToolsRequest): Promise<PlanToolsReply> {
    const { lists, ranker, policy, instanceId } = this.#options;
    const userTurns = this.#turns.resolve(request);
    const found = lists.find(request.listHash, request.toolHashes);
    if (found.status === 'unknown') return { status: 'unknown', missing: found.missing, instanceId };
    if (userTurns === undefined) return { status: 'unknown', missing: [], instanceId };
    const { index } = found;
    const turns = await this.#rankTurns(index, userTurns);
    const newestAt = userTurns.length - 1;
    const mentioned = new Set(userTurns.flatMap((turn) => this.#mentions.find(index, turn)));
    const newest =
      turns[newestAt]?.ranking ??
      (newestAt < 0 ? undefined : await ranker.rank(index, { turns: userTurns, at: newestAt }));
    const method = newest?.method ?? 'keyword';
    return choosePlan({
      request: { ...request, userTurns },
      index,
      turns,
      newest,
      mentioned,
      method,
      policy,
    });
  }

  async #rankTurns(index: ToolListIndex, userTurns: readonly string[]): Promise<RankedTurn[]> {
    const turns: RankedTurn[] = [];
    for (let at = 0; at < Math.min(userTurns.length, growingTurnsMax); at += 1) {
      const ranking = await this.#options.ranker.rank(index, { turns: userTurns, at });
      turns.push({ ranking, mentioned: this.#mentions.find(index, userTurns[at] ?? '') });
    }
    return turns;
  }
}
