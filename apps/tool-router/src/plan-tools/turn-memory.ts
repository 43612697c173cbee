import { earlierCharactersMin, hashTurns, type PlanToolsRequest } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';

/**
 * Stores each conversation's user turns by account and `hashTurns`, so that later requests can omit these
 * turns. Each entry belongs to one account: a hash gives no access to another account's conversation.
 */
export class TurnMemory {
  readonly #turns: LRUCache<string, string[]>;

  /**
   * @param charactersMax maximum total size of stored turns. The least recently used conversations are
   * evicted first.
   */
  constructor(charactersMax: number) {
    this.#turns = new LRUCache({
      maxSize: charactersMax,
      sizeCalculation: (turns) => turns.reduce((sum, turn) => sum + turn.length + 32, 128),
    });
  }

  /**
   * All user turns for a request, oldest first. Undefined if the request refers to turns that are not stored
   * in this process.
   */
  resolve({ accountId, userTurns, earlierTurns }: PlanToolsRequest): string[] | undefined {
    if (earlierTurns === undefined) {
      // Each agent loop step repeats the newest turn, and each new turn refers to the turns before it.
      // Therefore, the list with the newest turn and the list without it are both stored.
      this.#keep(accountId, userTurns.slice(0, -1));
      return this.#keep(accountId, userTurns);
    }
    const earlier = this.#turns.get(`${accountId}:${earlierTurns}`);
    return earlier && this.#keep(accountId, [...earlier, ...userTurns]);
  }

  #keep(accountId: string, turns: string[]): string[] {
    const characters = turns.reduce((sum, turn) => sum + turn.length, 0);
    if (characters >= earlierCharactersMin) this.#turns.set(`${accountId}:${hashTurns(turns)}`, turns);
    return turns;
  }
}
