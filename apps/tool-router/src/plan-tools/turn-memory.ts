import { earlierCharactersMin, hashTurns, type PlanToolsRequest } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';

/**
 * Stores the user turns of conversations by account and `hashTurns`, so that later requests can omit them.
 * Entries are limited to their account: a hash gives no access to another account's conversation.
 */
export class TurnMemory {
  readonly #turns: LRUCache<string, string[]>;

  /**
   * @param charactersMax limit of all stored turns. The least recently used conversations are removed first.
   */
  constructor(charactersMax: number) {
    this.#turns = new LRUCache({
      maxSize: charactersMax,
      sizeCalculation: (turns) => turns.reduce((sum, turn) => sum + turn.length + 32, 128),
    });
  }

  /**
   * Every user turn of a request, oldest first. Undefined if the request refers to turns that are unknown
   * here.
   */
  resolve({ accountId, userTurns, earlierTurns }: PlanToolsRequest): string[] | undefined {
    if (earlierTurns === undefined) {
      // Each step of an agent's loop repeats the newest turn. Each new turn refers to the turns before it.
      // Both lists are stored.
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
