import { calledMax, leadersMax, type HeadTables, type RankedTools } from '@gateway/contracts';

/** A turn of a measured conversation, with the tools that the model called from this turn on. */
export interface LearnedTurn extends RankedTools {
  readonly needed: ReadonlySet<string>;
}

/** A conversation with tool calls that the worker learns from. */
export interface LearnedConversation {
  /** Time of the first request, as RFC 3339. */
  readonly at: string;
  /** The first 16 hex digits of the hash of the tool list. */
  readonly list: string;
  /** The offered tools. */
  readonly offered: readonly string[];
  /** The turns, oldest first. Empty for a conversation that only shows which pruned tools were recovered. */
  readonly turns: readonly LearnedTurn[];
  /** The needed tools, in order of the first call. */
  readonly needed: readonly string[];
  /** The number of shadow conversations that the conversation counts for. */
  readonly weight: number;
}

/** Assumed number of additional conversations without the tool, which keeps rare tools above zero. */
const smoothing = 0.5;
/** Number of conversations after which a conversation counts half. */
const halfLife = 200;

type Counts = Map<string, number>;
/** Counts by tool, for each leading or called tool. */
type PairCounts = Map<string, Counts>;

function add(counts: Counts, key: string, weight: number): void {
  counts.set(key, (counts.get(key) ?? 0) + weight);
}

function addPair(pairs: PairCounts, other: string, tool: string, weight: number): void {
  const counts = pairs.get(other) ?? new Map<string, number>();
  pairs.set(other, counts);
  add(counts, tool, weight);
}

/** Counts how often tools are needed, alone and together with other tools. */
export class HeadCounts {
  readonly needs: Counts = new Map();
  readonly leads: Counts = new Map();
  readonly together: PairCounts = new Map();
  readonly transitions: PairCounts = new Map();
  total = 0;

  /** Adds a conversation, or removes it with a negative weight. */
  count({ needed, turns }: LearnedConversation, weight: number): void {
    this.total += weight;
    for (const tool of needed) add(this.needs, tool, weight);
    for (const leader of turns[0]?.names.slice(0, leadersMax) ?? []) {
      add(this.leads, leader, weight);
      for (const tool of needed) addPair(this.together, leader, tool, weight);
    }
    for (const [at, tool] of needed.entries())
      for (const before of needed.slice(Math.max(0, at - calledMax), at))
        addPair(this.transitions, before, tool, weight);
  }

  /** The statistics of the counted conversations. */
  tables(): HeadTables {
    const share = (tool: string): number =>
      ((this.needs.get(tool) ?? 0) + smoothing) / (this.total + 2 * smoothing);
    const open = (pairs: PairCounts, others: Counts): HeadTables['together'] => {
      return (other) => {
        const seen = 1 + (others.get(other) ?? 0);
        const lifts = [...(pairs.get(other) ?? [])].map(([tool, count]): [string, number] => {
          const usual = share(tool);
          return [tool, Math.log((Math.max(0, count) + usual) / (seen * usual))];
        });
        return new Map(lifts.filter(([, lift]) => lift > 0));
      };
    };
    return {
      usage: (tool) => Math.log(share(tool)),
      together: open(this.together, this.leads),
      transitions: open(this.transitions, this.needs),
    };
  }
}

/** Returns the weights of conversations, newest last. Older conversations count less. */
export function decay(conversations: number): number[] {
  return Array.from({ length: conversations }, (_, at) => 0.5 ** ((conversations - 1 - at) / halfLife));
}
