import type { RequestLogRow } from './request-log-row.ts';

/** A log row, and the tools that its request offered. */
export interface UsedRow {
  readonly row: RequestLogRow;
  /** Names of the offered tools, if the tools were not ranked. Without a ranking, all tools were forwarded. */
  readonly offeredTools: readonly string[];
}

/**
 * Use of a tool on one day. The use is added to a row of `tool_days`. The fields correspond to the columns of `tool_days`.
 */
export interface ToolUse {
  readonly account_id: string;
  /** The UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  /** The tool's name. The row with the empty name counts the requests with tools. */
  readonly tool: string;
  offered: number;
  forwarded: number;
  called: number;
  called_when_pruned: number;
  denied: number;
  /** Number of tool calls with a known rank. The field `rank_sum` is the sum of all known ranks of the tool's calls. */
  ranked_calls: number;
  rank_sum: number;
  /** The time of the tool's last use, as RFC 3339. */
  last_seen_at: string;
}

const requestsTool = '';
const nameCharactersMax = 256;
const unused = {
  ...{ offered: 0, forwarded: 0, called: 0, called_when_pruned: 0 },
  ...{ denied: 0, ranked_calls: 0, rank_sum: 0 },
};

/** Sums the tool use of requests by account, day and tool. A tool counts only once per request. */
export function sumToolUse(rows: readonly UsedRow[]): ToolUse[] {
  const uses = new Map<string, ToolUse>();
  for (const { row, offeredTools } of rows) {
    const { account_id, created_at, called_tools, denied_tools } = row;
    const day = created_at.slice(0, 10);
    const useOf = (name: string): ToolUse => {
      const tool = name.slice(0, nameCharactersMax);
      const key = `${account_id} ${day} ${tool}`;
      const use = uses.get(key) ?? { account_id, day, tool, ...unused, last_seen_at: created_at };
      uses.set(key, use);
      if (created_at > use.last_seen_at) use.last_seen_at = created_at;
      return use;
    };
    const offers = listOffers(row, offeredTools);
    if (offers.size > 0) useOf(requestsTool).offered += 1;
    const called = new Set(called_tools);
    for (const [name, offer] of offers) addOffer(useOf(name), offer, called.has(name));
    for (const name of new Set(denied_tools)) if (name !== requestsTool) useOf(name).denied += 1;
  }
  return [...uses.values()];
}

interface Offer {
  readonly isForwarded: boolean;
  /** The tool's rank. Null if the tools were not ranked. */
  readonly rank: number | null;
}

function addOffer(use: ToolUse, { isForwarded, rank }: Offer, isCalled: boolean): void {
  use.offered += 1;
  if (isForwarded) use.forwarded += 1;
  if (!isCalled) return;
  use.called += 1;
  if (!isForwarded) use.called_when_pruned += 1;
  if (rank === null) return;
  use.ranked_calls += 1;
  use.rank_sum += rank;
}

/**
 * Tools with the same name count as one tool, with the best rank. Tools with the same name count as forwarded
 * if one of them was forwarded.
 */
function listOffers(
  { candidates, tools_pruned, tools_in, tools_out }: RequestLogRow,
  offeredTools: readonly string[],
): ReadonlyMap<string, Offer> {
  const offers = new Map<string, Offer>();
  if (candidates === null || candidates.length === 0) {
    for (const name of offeredTools) offers.set(name, { isForwarded: true, rank: null });
  } else {
    const isWhole = (tools_pruned ?? tools_in - tools_out) <= 0;
    for (const [name, , rank, forwarded] of candidates) {
      const known = offers.get(name);
      offers.set(name, {
        isForwarded: isWhole || forwarded === 1 || known?.isForwarded === true,
        rank: Math.min(rank, known?.rank ?? rank),
      });
    }
  }
  offers.delete(requestsTool);
  return offers;
}
