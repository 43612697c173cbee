import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { evidenceMin } from '../../apps/tool-router/src/plan-tools/tool-set.ts';
import { indexToolList } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { RankedPool } from './rank-paths.ts';
import { itemAt, type Question, type ToolData } from './tool-data.ts';

/** User turns that require no tool, listed independently of the planner's code. */
const emptyTurns = [
  ...['', '   ', '.', '?', '...', '👋', 'hi', 'hello', 'Hello!', 'hey there', 'hi claude', 'good morning'],
  ...['Good morning, how are you today?', 'Hi, can you help me?', 'Hello, I need some help', 'who are you?'],
  ...['what can you do?', 'Could you help me with something?', 'I have a question', 'test', 'testing 123'],
  ...['thanks', 'thank you so much', 'ok', 'okay, sounds good', 'great', 'nice work', 'lol', 'hmm', 'yes'],
  ...['yes please', 'no', 'continue', 'Continue.', 'please continue', 'go on', 'go', 'next', 'start', 'ping'],
  ...[
    'let us begin',
    'Hey assistant, ready?',
    'Bonjour',
    'merci',
    'ok merci',
    'Hola, buenos días',
    'continúa',
  ],
  ...['Guten Tag', 'weiter', 'ja', 'Olá, tudo bem?', 'Привет', 'да', 'こんにちは', '你好'],
];
/** The number of tool lists per set. Each tool list is combined with every turn that needs no tool. */
const listsPerSet = 4;

/** Measures how often the planner confuses real first user turns with turns that need no tool. */
export interface FirstTurnFigures {
  /** The number of distinct first user turns in the data. Each real first user turn needs a tool. */
  readonly first_queries: number;
  /** The number of first user turns that the planner mistakes for turns without a task. */
  readonly called: number;
  readonly called_share: number;
  /** The number of turns in `called` for which a needed tool is among the ten best-ranked tools. */
  readonly called_in_top_10: number;
  readonly empty_turns: number;
  readonly caught: number;
  readonly caught_share: number;
}

/** Counts the first user turns that the planner mistakes for turns without a task. */
export class FirstTurns {
  readonly #data: ToolData;
  readonly #seen = new Set<string>();
  readonly #lists = new Map<string, (readonly number[])[]>();
  #called = 0;
  #inTop = 0;

  constructor(data: ToolData) {
    this.#data = data;
  }

  /**
   * Adds the first turn of a question to the counts.
   * @param ranked the tools as ranked for the first turn
   */
  add({ dataset, userTurns }: Question, lines: readonly number[], ranked: RankedPool): void {
    const key = `${dataset}\n${userTurns[0] ?? ''}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const lists = this.#lists.get(dataset) ?? [];
    this.#lists.set(dataset, lists.length < listsPerSet ? [...lists, lines] : lists);
    if (ranked.evidence >= evidenceMin) return;
    this.#called += 1;
    if (Math.min(...ranked.goldRanks) < 10) this.#inTop += 1;
  }

  measure(): FirstTurnFigures {
    const evidence = [...this.#lists.values()].flat().flatMap((lines) => this.#measureEmpty(lines));
    const caught = evidence.filter((each) => each < evidenceMin).length;
    return {
      first_queries: this.#seen.size,
      called: this.#called,
      called_share: round(this.#called / Math.max(1, this.#seen.size)),
      called_in_top_10: this.#inTop,
      empty_turns: evidence.length,
      caught,
      caught_share: round(caught / Math.max(1, evidence.length)),
    };
  }

  #measureEmpty(lines: readonly number[]): number[] {
    const cards = lines.map((line) => itemAt(this.#data.cards, line));
    const index = indexToolList('', cards);
    return emptyTurns.map((turn) => keywordRanker.rank(index, { turns: [turn], at: 0 }).evidence);
  }
}

function round(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
