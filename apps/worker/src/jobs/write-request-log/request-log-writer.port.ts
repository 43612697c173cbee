import type { DeadRequestEvent } from '@gateway/contracts';
import type { UsedRow } from './tool-use.ts';

/** Thrown for rows that Postgres rejects permanently. */
export class RowsRefused extends Error {}

export interface RequestLogWriter {
  /**
   * Writes either all log rows or no row, adds their tool use, and returns the number of rows that changed the
   * log. A repeated request changes nothing, with one exception. A row with another status replaces an
   * `interrupted` row. Rows for a deleted account are not written. The request ids of the rows must be unique.
   * @throws RowsRefused if a row is invalid. Any other error comes from the database, and the write can be
   * retried.
   */
  write(rows: readonly UsedRow[]): Promise<number>;
}

export interface DeadLetters {
  /**
   * Stores events that cannot be written to the request log. An event is stored only once, even if it is passed
   * repeatedly.
   */
  add(letters: readonly DeadRequestEvent[]): Promise<void>;
  /** Deletes an account's stored events. Throws `service_unavailable` while the queue is unavailable. */
  removeOf(accountId: string): Promise<void>;
}
