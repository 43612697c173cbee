import type { DeadRequestEvent } from '@gateway/contracts';

export interface DeadLetters {
  /** Keeps events that cannot be written. A repeated event is kept once. */
  add(letters: readonly DeadRequestEvent[]): Promise<void>;
  /** Removes the events of an account. Throws `service_unavailable` while the queue is unavailable. */
  removeOf(accountId: string): Promise<void>;
}
