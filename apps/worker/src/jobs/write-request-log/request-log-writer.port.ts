import type { UsedRow } from './tool-use.ts';

/** Postgres rejects these rows permanently. */
export class RowsRefused extends Error {}

export interface RequestLogWriter {
  /**
   * Writes all rows or none, adds the use of their tools, and returns how many rows changed the log. A request that is
   * already in the log changes nothing, unless it is logged as `interrupted` and the new row has another status. Rows for a
   * deleted account change nothing. Ids must be unique.
   * @throws RowsRefused if a row is invalid. Any other error comes from the database, and the rows can be
   * retried.
   */
  write(rows: readonly UsedRow[]): Promise<number>;
}
