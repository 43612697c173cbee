import type { UsageFilter } from '@gateway/contracts';

/** The definition of `narrowed`, which follows that of `own` (`queryAccountLog`), with its values from `$4` on. */
export interface NarrowedLog {
  readonly sql: string;
  readonly values: readonly string[];
}

/** Of an account's log what a filter lets through. Parts that were not given narrow nothing. */
export function narrowLog({ key_id, model, session_id }: UsageFilter): NarrowedLog {
  const values: string[] = [];
  const conditions: string[] = [];
  const add = (value: string | undefined, render: (place: string) => string): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(render(`$${3 + values.length}`));
  };
  add(key_id, (place) => `key_id = ${place}::uuid`);
  add(session_id, (place) => `session_id = ${place}::text`);
  // As the list of requests takes it: as answered, as requested, or with its provider before it.
  add(
    model,
    (place) => `(${place}::text IN (model, requested_model) OR provider || '/' || model = ${place}::text)`,
  );
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { sql: `, narrowed AS NOT MATERIALIZED (SELECT * FROM own ${where})`, values };
}
