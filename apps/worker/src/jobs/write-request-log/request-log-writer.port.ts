import type { RequestLogRow } from './request-log-row.ts';

/** Postgres rejects these rows permanently. */
export class RowsRefused extends Error {}

export interface RequestLogWriter {
  /**
   * Writes all rows or none, and returns how many changed the log. A request that is already in the log changes
   * nothing, unless the log has it as `interrupted` and the row has another status. Rows of a deleted account change
   * nothing. Ids must be unique.
   * @throws RowsRefused if a row is invalid. After any other error, which comes from the database, the rows can be
   * retried.
   */
  write(rows: readonly RequestLogRow[]): Promise<number>;
}
