import { LRUCache } from 'lru-cache';
import type { ToolListIndex } from '../ranking/tool-list-index.ts';
import { findMentions } from './mentions.ts';

/** Characters of turns held, whose names were looked for. */
const charactersMax = 16 * 1024 * 1024;

/** Keeps what turns mention, by list and text: every step of an agent's loop brings the same turns again. */
export class MemoizedMentions {
  readonly #found = new LRUCache<string, readonly number[]>({
    maxSize: charactersMax,
    sizeCalculation: (positions, key) => key.length + positions.length + 64,
  });

  find(index: ToolListIndex, turn: string): readonly number[] {
    const key = `${index.listHash}\n${turn}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const positions = findMentions(index, turn);
    this.#found.set(key, positions);
    return positions;
  }
}
