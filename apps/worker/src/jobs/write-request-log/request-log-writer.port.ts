import type { DeadRequestEvent } from '@gateway/contracts';
import type { UsedRow } from './tool-use.ts';

/** Thrown for rows that Postgres rejects permanently. */
export class RowsRefused extends Error {}

export interface RequestLogWriter {
  /**
   * Writes all log rows and their tool use, or writes nothing. Returns the number of rows that were added or
   * replaced. Storing a request again changes nothing, except that a row with another status replaces an
   * `interrupted` row. Rows for a deleted account are not written. The request ids of the rows must be distinct.
   * @throws RowsRefused if a row is invalid. After a database error, the method rejects with the database error,
   * and the write can be retried.
   */
  write(rows: readonly UsedRow[]): Promise<number>;
}

export interface DeadLetters {
  /**
   * Stores events that cannot be written to the request log. An event is stored only once, even if it is
   * passed several times.
   */
  add(letters: readonly DeadRequestEvent[]): Promise<void>;
  /** Deletes an account's stored events. Throws `service_unavailable` while the queue is unavailable. */
  removeOf(accountId: string): Promise<void>;
}
