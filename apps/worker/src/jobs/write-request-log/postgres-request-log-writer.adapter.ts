import { newId, sqlStateOf } from '@gateway/persistence';
import type { Partitions } from '../../persistence/partitions.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import type { RequestLogRow } from './request-log-row.ts';
import { sumToolUse, type ToolUse, type UsedRow } from './tool-use.ts';
import { RowsRefused, type RequestLogWriter } from './write-request-log.ts';

/** The request log columns that the worker writes, with their types. */
const columns: Readonly<Record<keyof RequestLogRow, string>> = {
  id: 'uuid',
  created_at: 'timestamptz',
  account_id: 'uuid',
  key_id: 'uuid',
  session_id: 'text',
  client_request_id: 'text',
  trace_id: 'text',
  endpoint: 'text',
  format: 'text',
  provider: 'text',
  model: 'text',
  requested_model: 'text',
  stream: 'boolean',
  status: 'text',
  http_status: 'integer',
  error_code: 'text',
  error_message: 'text',
  provider_request_id: 'text',
  lane: 'text',
  tools_offered: 'integer',
  tools_in: 'integer',
  tools_out: 'integer',
  tools_pruned: 'integer',
  intent: 'text',
  routing: 'text',
  k: 'integer',
  k_reason: 'text',
  policy_version: 'text',
  plan_defect: 'text',
  candidates: 'jsonb',
  unlearned: 'jsonb',
  session_key: 'text',
  tool_list: 'text',
  bucket: 'text',
  recovery: 'text',
  needed_k: 'integer',
  needs: 'jsonb',
  called_tools: 'text[]',
  recovered_tools: 'text[]',
  denied_tools: 'text[]',
  losses: 'jsonb',
  compression_steps: 'jsonb',
  context: 'jsonb',
  model_choice: 'jsonb',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  conversation: 'text',
  prompt: 'jsonb',
  cache_miss_cause: 'text',
  cache_miss_detail: 'text',
  cache_miss_tokens: 'bigint',
  cache_miss_usd: 'numeric',
  usage_estimated: 'boolean',
  tool_tokens_saved: 'bigint',
  estimated_tokens_saved: 'bigint',
  compression_tokens_saved: 'bigint',
  recovery_tokens: 'bigint',
  recovery_tokens_deducted: 'bigint',
  cost_usd: 'numeric',
  provider_savings_usd: 'numeric',
  gross_savings_usd: 'numeric',
  ms_total: 'double precision',
  ms_first_byte: 'double precision',
  ms_overhead: 'double precision',
  ms_auth: 'double precision',
  ms_plan: 'double precision',
  ms_upstream: 'double precision',
};

const columnNames = Object.keys(columns) as (keyof RequestLogRow)[];
const keys: ReadonlySet<string> = new Set(['id', 'created_at', 'account_id']);

/** The columns that are not null in every row. In a batch, about a third of the columns are null. */
function listSetColumns(rows: readonly RequestLogRow[]): (keyof RequestLogRow)[] {
  return columnNames.filter((name) => rows.some((row) => row[name] !== null));
}

/**
 * SQL that inserts rows with the given columns. Postgres reads each column of each row from JSON, so columns
 * that are null in all rows are left out. A row that replaces an `interrupted` row sets every column.
 */
const insert = (names: readonly (keyof RequestLogRow)[]) => `
  INSERT INTO request_log AS logged (${names.join(', ')})
  SELECT ${names.join(', ')}
  FROM json_to_recordset($1::json) AS event (${names.map((name) => `${name} ${columns[name]}`).join(', ')})
  WHERE NOT EXISTS (SELECT FROM forgotten_accounts WHERE forgotten_accounts.account_id = event.account_id)
  ON CONFLICT (id, created_at) DO UPDATE
  SET ${columnNames
    .filter((name) => !keys.has(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}
  WHERE logged.status = 'interrupted' AND excluded.status <> 'interrupted'
    AND logged.account_id = excluded.account_id`;

const useColumns: Readonly<Record<keyof ToolUse, string>> = {
  account_id: 'uuid',
  day: 'date',
  tool: 'text',
  offered: 'bigint',
  forwarded: 'bigint',
  called: 'bigint',
  called_when_pruned: 'bigint',
  denied: 'bigint',
  ranked_calls: 'bigint',
  rank_sum: 'bigint',
  last_seen_at: 'timestamptz',
};
const useNames = Object.keys(useColumns);
const useKeys = ['account_id', 'day', 'tool'];
/**
 * Maximum number of distinct tools per account and day. If an account has reached the maximum, a batch adds
 * no further tools for the day.
 */
const toolsPerDayMax = 2_000;

/**
 * SQL that adds the tool use in the JSON parameter to the table `tool_days` if a given condition holds. Rows
 * are written in the order of their keys, so that two batches never deadlock.
 */
const addToolUse = (json: string, condition: string) => `
  INSERT INTO tool_days AS days (${useNames.join(', ')})
  SELECT ${useNames.map((name) => `use.${name}`).join(', ')}
  FROM json_to_recordset(${json}::json) AS use (${Object.entries(useColumns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})
  LEFT JOIN (
    SELECT account_id, day, count(*) AS tools FROM tool_days
    WHERE (account_id, day) IN (
      SELECT account_id, day FROM json_to_recordset(${json}::json) AS used (account_id uuid, day date)
    ) GROUP BY account_id, day
  ) AS kept ON kept.account_id = use.account_id AND kept.day = use.day
  WHERE ${condition}
    AND NOT EXISTS (SELECT FROM forgotten_accounts WHERE forgotten_accounts.account_id = use.account_id)
    AND (coalesce(kept.tools, 0) < ${toolsPerDayMax} OR EXISTS (
      SELECT FROM tool_days AS known
      WHERE known.account_id = use.account_id AND known.day = use.day AND known.tool = use.tool
    ))
  ORDER BY use.account_id, use.day, use.tool
  ON CONFLICT (${useKeys.join(', ')}) DO UPDATE SET ${useNames
    .filter((name) => !useKeys.includes(name) && name !== 'last_seen_at')
    .map((name) => `${name} = days.${name} + excluded.${name}`)
    .join(', ')}, last_seen_at = greatest(days.last_seen_at, excluded.last_seen_at)`;

/**
 * SQL that inserts log rows together with their ledger entries and their tool use, in one transaction. An
 * `interrupted` row has no savings, so its ledger entry is created only when another row replaces the
 * `interrupted` row. The tool use ($3) is added only if all rows ($4) were written.
 */
const insertWithLedger = (names: readonly (keyof RequestLogRow)[]) => `
  WITH written AS (${insert(names)}
    RETURNING logged.id, logged.created_at, logged.account_id, logged.key_id, logged.estimated_tokens_saved,
      logged.compression_tokens_saved, logged.recovery_tokens_deducted
  ), used AS (${addToolUse('$3', '(SELECT count(*) FROM written) = $4::int')}
  ), owed AS (
    INSERT INTO ledger_outbox (id, entries)
    SELECT $2::uuid, jsonb_agg(jsonb_build_object(
      'requestId', id,
      'at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'accountId', account_id,
      'keyId', key_id,
      'estimatedTokensSaved', estimated_tokens_saved,
      'compressionTokensSaved', compression_tokens_saved,
      'recoveryTokensDeducted', recovery_tokens_deducted
    ) ORDER BY id)
    FROM written WHERE estimated_tokens_saved + compression_tokens_saved > 0 HAVING count(*) > 0
  )
  SELECT coalesce(array_agg(id::text), '{}') AS ids FROM written`;

/**
 * Matches the SQLSTATE classes 22 (data exceptions), 23 (constraint violations) and 54 (exceeded limits). Errors of
 * these classes are caused by the rows of the SQL statement.
 */
const rowsAtFault = /^(22|23|54)/;
/** SQLSTATE with which Postgres reports a missing partition. */
const checkViolation = '23514';
/** JSON escapes for the characters that Postgres cannot store (NUL and lone surrogates). */
const unstorable = /\\u(?:0000|d[89ab][0-9a-f]{2}|d[cdef][0-9a-f]{2})/;

export class PostgresRequestLogWriter implements RequestLogWriter {
  readonly #database: TelemetryDatabase;
  readonly #partitions: Partitions;

  constructor(database: TelemetryDatabase, partitions: Partitions) {
    this.#database = database;
    this.#partitions = partitions;
  }

  async write(rows: readonly UsedRow[]): Promise<number> {
    const names = listSetColumns(rows.map(({ row }) => row));
    const json = renderRows(rows.map(({ row }) => pickColumns(row, names)));
    const statement = insertWithLedger(names);
    try {
      return await this.#insert(rows, json, statement);
    } catch (error) {
      if (sqlStateOf(error) !== checkViolation) throw asRefusal(error);
      this.#partitions.forget();
    }
    try {
      return await this.#insert(rows, json, statement);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  async #insert(rows: readonly UsedRow[], json: string, statement: string): Promise<number> {
    await this.#partitions.ensure(rows.map(({ row }) => Date.parse(row.created_at)));
    const client = this.#database.acrossAccounts;
    const use = renderRows(sumToolUse(rows));
    const [written] = await client.$queryRawUnsafe<{ ids: string[] }[]>(
      statement,
      ...[json, newId(), use, rows.length],
    );
    const ids = new Set(written?.ids);
    if (ids.size < rows.length && ids.size > 0)
      await this.#addToolUse(rows.filter(({ row }) => ids.has(row.id)));
    return ids.size;
  }

  /**
   * Adds the tool use of a batch if some of its rows were already in the request log. The new rows are known
   * only after the insert, so the tool use is written in a second transaction. If the second transaction
   * fails, the tool use of the new rows is not counted, because a retry finds no new rows.
   */
  async #addToolUse(rows: readonly UsedRow[]): Promise<void> {
    const client = this.#database.acrossAccounts;
    await client.$executeRawUnsafe(addToolUse('$1', 'true'), renderRows(sumToolUse(rows)));
  }
}

function pickColumns(row: RequestLogRow, names: readonly (keyof RequestLogRow)[]): object {
  const picked: Record<string, unknown> = {};
  for (const name of names) picked[name] = row[name];
  return picked;
}

function renderRows(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  // Almost every batch is serialized only once, because it contains no characters that Postgres rejects.
  return unstorable.test(json) ? JSON.stringify(rows, (_, value: unknown) => storable(value)) : json;
}

function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}

function asRefusal(error: unknown): unknown {
  const state = sqlStateOf(error);
  if (state === undefined || !rowsAtFault.test(state)) return error;
  return new RowsRefused(`Postgres refused the row (SQLSTATE ${state})`, { cause: error });
}
