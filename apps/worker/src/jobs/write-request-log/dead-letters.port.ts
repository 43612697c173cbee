import type { DeadRequestEvent } from '@gateway/contracts';

export interface DeadLetters {
  /** Keeps events that can't be written. The same one given again is kept once. */
  add(letters: readonly DeadRequestEvent[]): Promise<void>;
  /** Removes the events of an account. Throws `service_unavailable` while the queue is away. */
  removeOf(accountId: string): Promise<void>;
}
