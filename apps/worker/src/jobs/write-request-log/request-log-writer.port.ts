import type { RequestLogRow } from './request-log-row.ts';

/** Postgres will never take these rows, whoever asks. */
export class RowsRefused extends Error {}

export interface RequestLogWriter {
  /**
   * Writes all rows or none, and answers how many changed the log. A row whose request is there already changes
   * nothing, unless the log has it as `interrupted` and the row has another ending; neither does a row of a deleted account. Ids must not repeat.
   * @throws RowsRefused if a row is at fault; any other error is the database's and the rows may be tried again.
   */
  write(rows: readonly RequestLogRow[]): Promise<number>;
}
