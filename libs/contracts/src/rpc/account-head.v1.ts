import { z } from 'zod';
import { count, timestamp } from '../base/common.ts';

/** The inputs of an account head, in the order of its weights. */
export const headFeatures = ['log_probability', 'rank', 'usage', 'together', 'transition'] as const;

const pairs = z.array(z.tuple([count, count, z.number()])).max(2_048);

/**
 * A small model that ranks the tools of one tool list again. The worker trains an account head on the account's
 * shadow conversations and recoveries. Pairs refer to positions in `tools`, and contain only positive values.
 */
export const accountHead = z.object({
  /** The first 16 hex digits of the hash of the tool list. */
  list: z.string().max(16),
  madeAt: timestamp,
  /** Number of shadow conversations that the head was trained on. */
  conversations: count,
  weights: z.array(z.number()).length(headFeatures.length),
  tools: z.array(z.string().max(256)).max(512),
  /** For each tool, the logarithm of the share of conversations that need the tool. */
  usage: z.array(z.number()).max(512),
  /** The logarithm of the share for tools that are not in `tools`. */
  usageElse: z.number(),
  /** `[leading tool, tool, log-odds]`: how much more often a tool is needed if another tool leads the ranking. */
  together: pairs,
  /** `[called tool, tool, log-odds]`: how much more often a tool is needed after another tool. */
  transitions: pairs,
});
export type AccountHead = z.infer<typeof accountHead>;

/**
 * The candidates without the account head, in the order of the ranking with it: score, rank, and for the best tools the
 * shares of the learned score in log-odds, compared with the mean of all tools, in the order of `headFeatures`.
 */
export const unlearnedCandidates = z.array(z.tuple([z.number(), z.int().min(1)]).rest(z.number()));

/** Number of leading tools, number of newest called tools, and the smallest score above 0 in the log, halved. */
export const [leadersMax, calledMax, scoreMin] = [3, 3, 0.0005];

/** The statistics of an account, by tool name. The values are those of `AccountHead`. */
export interface HeadTables {
  readonly usage: (tool: string) => number;
  readonly together: (leader: string) => ReadonlyMap<string, number>;
  readonly transitions: (called: string) => ReadonlyMap<string, number>;
}

/** A ranking by probability, best tool first, and the tools that the transcript called before the ranked turn. */
export interface RankedTools {
  readonly names: readonly string[];
  /** Probabilities with three decimals, as in the request log. */
  readonly scores: readonly number[];
  /** In order of the first call. */
  readonly called: readonly string[];
}

/** Returns the features of each ranked tool, in the order of the ranking. Router and worker share the function. */
export function readHeadFeatures(tables: HeadTables, { names, scores, called }: RankedTools): number[][] {
  const together = largest(names.slice(0, leadersMax), tables.together);
  const transitions = largest(called.slice(-calledMax), tables.transitions);
  return names.map((name, at) => [
    Math.log(Math.max(scoreMin, scores[at] ?? 0)),
    -Math.log(at + 1),
    tables.usage(name),
    together.get(name) ?? 0,
    transitions.get(name) ?? 0,
  ]);
}

/** The largest value of each tool over several other tools. */
function largest(others: readonly string[], read: HeadTables['together']): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const other of others)
    for (const [tool, value] of read(other))
      if (tool !== other && value > (most.get(tool) ?? 0)) most.set(tool, value);
  return most;
}

/** Returns the tables of a head for lookups by tool name. */
export function openHead({ tools, usage, usageElse, together, transitions }: AccountHead): HeadTables {
  const used = new Map(tools.map((name, at) => [name, usage[at]]));
  const open = (pairs: AccountHead['together']): HeadTables['together'] => {
    const grouped = [...Map.groupBy(pairs, ([other]) => tools[other] ?? '')];
    const named = (own: typeof pairs) => new Map(own.map(([, tool, value]) => [tools[tool] ?? '', value]));
    const byOther = new Map(grouped.map(([other, own]) => [other, named(own)]));
    return (other) => byOther.get(other) ?? new Map();
  };
  const read = (name: string): number => used.get(name) ?? usageElse;
  return { usage: read, together: open(together), transitions: open(transitions) };
}
