import type { DeadRequestEvent } from '@gateway/contracts';

export interface DeadLetters {
  /** Stores events that cannot be written. A repeated event is stored only once. */
  add(letters: readonly DeadRequestEvent[]): Promise<void>;
  /** Deletes an account's events. Throws `service_unavailable` while the queue is unavailable. */
  removeOf(accountId: string): Promise<void>;
}
