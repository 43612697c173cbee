import { earlierCharactersMin, hashTurns, type PlanToolsRequest } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';

/**
 * The turns of sessions seen before, by account and `hashTurns`, so that a session's next request need not bring them
 * again. Kept for the account that sent them alone: a hash tells nothing of another account's conversation.
 */
export class TurnMemory {
  readonly #turns: LRUCache<string, string[]>;

  /** @param charactersMax of turns held; the least recently used sessions go first. */
  constructor(charactersMax: number) {
    this.#turns = new LRUCache({
      maxSize: charactersMax,
      sizeCalculation: (turns) => turns.reduce((sum, turn) => sum + turn.length + 32, 128),
    });
  }

  /** Every user turn of a request, oldest first; undefined when it names earlier ones that are not known here. */
  resolve({ accountId, userTurns, earlierTurns }: PlanToolsRequest): string[] | undefined {
    if (earlierTurns === undefined) {
      // Every step of an agent's loop asks about the same newest turn, every new turn about what is now the newest.
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
