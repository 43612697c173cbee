import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ToolRanker, TurnRanking } from './ranker.port.ts';
import type { ToolListIndex } from './tool-list-index.ts';
import { contextTurnsMax } from './turn-query.ts';

/**
 * Keeps the rankings of turns seen before, by the list and the turns that may bear on them: an agent's loop asks about
 * the same turns again with every step. Forgetting one costs time alone.
 */
export class MemoizedRanker implements ToolRanker {
  readonly method;
  readonly #ranker: ToolRanker;
  readonly #rankings: LRUCache<string, TurnRanking>;

  constructor(ranker: ToolRanker, bytesMax: number) {
    this.method = ranker.method;
    this.#ranker = ranker;
    this.#rankings = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ scores, order }) => 256 + scores.byteLength + order.byteLength,
    });
  }

  rank(index: ToolListIndex, turns: readonly string[], at: number): Promise<TurnRanking> | TurnRanking {
    const key = keyOf(index.listHash, turns.slice(Math.max(0, at - contextTurnsMax), at + 1));
    const known = this.#rankings.get(key);
    if (known !== undefined) return known;
    const ranking = this.#ranker.rank(index, turns, at);
    if (ranking instanceof Promise) return ranking.then((made) => this.#keep(key, made));
    return this.#keep(key, ranking);
  }

  #keep(key: string, ranking: TurnRanking): TurnRanking {
    this.#rankings.set(key, ranking);
    return ranking;
  }
}

/** Lengths stand before the texts, so that no two lists of turns make one key. */
function keyOf(listHash: string, turns: readonly string[]): string {
  return hash(
    'sha256',
    turns.reduce((text, turn) => `${text}\n${turn.length}\n${turn}`, listHash),
    'base64',
  );
}
