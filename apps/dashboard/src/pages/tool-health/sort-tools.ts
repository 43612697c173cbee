/** The fields by which tools can be sorted. */
interface Sortable {
  readonly name: string;
  readonly description_score: number | null;
  readonly issues: readonly unknown[];
  readonly stats: {
    readonly offered: number;
    readonly forwarded: number;
    readonly called: number;
    readonly called_when_pruned: number;
    readonly call_through_rate: number | null;
    readonly mean_rank_when_called: number | null;
  };
  readonly last_seen_at: string;
}

const readers: Readonly<Record<string, (tool: Sortable) => number | string | null>> = {
  name: ({ name }) => name.toLowerCase(),
  need: countNeed,
  score: (tool) => tool.description_score,
  issues: ({ issues }) => issues.length,
  offered: ({ stats }) => stats.offered,
  forwarded: ({ stats }) => stats.forwarded,
  called: ({ stats }) => stats.called,
  missed: ({ stats }) => stats.called_when_pruned,
  rate: ({ stats }) => stats.call_through_rate,
  rank: ({ stats }) => stats.mean_rank_when_called,
  seen: ({ last_seen_at }) => last_seen_at,
};

/**
 * How much a tool needs attention. A missed call counts more than any number of issues, because each missed
 * call harmed a conversation. Tools with equal counts are sorted by the lost points of their description.
 */
function countNeed({ stats, issues, description_score: score }: Sortable): number {
  const lost = score === null ? 0 : 100 - score;
  return stats.called_when_pruned * 10_000 + Math.min(issues.length, 99) * 100 + lost;
}

export interface ToolSorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/**
 * Filters tools by a part of the name, and sorts the tools by a column. Tools with missing values come last in both
 * sort directions.
 */
export function sortTools<Tool extends Sortable>(
  tools: readonly Tool[],
  search: string,
  { key, isDescending }: ToolSorting,
): Tool[] {
  const wanted = search.trim().toLowerCase();
  const read = readers[key] ?? readers['name'];
  const sign = isDescending ? -1 : 1;
  return tools
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map((tool) => ({ tool, value: read?.(tool) ?? null }))
    .sort((one, other) => compare(one.value, other.value, sign))
    .map(({ tool }) => tool);
}

function compare(one: number | string | null, other: number | string | null, sign: number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (one === other) return 0;
  return one < other ? -sign : sign;
}
