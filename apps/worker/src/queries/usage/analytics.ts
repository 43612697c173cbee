import {
  requestStatus,
  usageFigures,
  type AnalyticsDay,
  type AnalyticsHour,
  type RequestStatus,
  type UsageFigures,
  type UsageFilter,
  type listDailyAnalytics as listDailyAnalyticsContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readCalibration } from '../../jobs/calibrate/calibrate.ts';
import { isPruned, queryAccountLog, queryAccountUsage } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { recallSql, renderRecall, type ShadowCount } from './recall.ts';
import { dayOf, hourOf, loggedColumns, usedAnalyticsColumns, usedColumns } from './usage-columns.ts';

const modelsMax = 20;

/**
 * Usage figures that can be summed. The totals of accounts and API keys are kept longer than the request log.
 */
type SumRow = UsageFigures &
  Pick<AnalyticsDay, 'gross_savings_usd' | 'pruned_requests'> &
  Record<`status_${RequestStatus}`, number | null> & {
    /** Number of requests that were deleted from the request log. */
    readonly purged: number;
  };
/** Usage figures that are available only in the request log. */
type LogRow = Pick<
  AnalyticsDay,
  | 'sessions'
  | 'first_byte_p50_ms'
  | 'first_byte_p95_ms'
  | 'total_p50_ms'
  | 'total_p95_ms'
  | 'overhead_p50_ms'
  | 'overhead_p95_ms'
>;
type ModelRow = NonNullable<AnalyticsDay['models']>[number] & { date: string };
type Dated<Row> = Row & { readonly date: string };

const percentile = (share: number, column: string) =>
  `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${column}) FILTER (WHERE status = 'ok')`;

const logColumns = [
  `count(DISTINCT session_id)::float8 AS sessions`,
  ...['first_byte', 'total', 'overhead'].flatMap((name) => [
    `${percentile(0.5, `ms_${name}`)} AS ${name}_p50_ms`,
    `${percentile(0.95, `ms_${name}`)} AS ${name}_p95_ms`,
  ]),
].join(', ');
const sumsOfRows = [
  loggedColumns,
  `(count(*) FILTER (WHERE ${isPruned}))::float8 AS pruned_requests`,
  ...requestStatus.options.map(
    (status) => `(count(*) FILTER (WHERE status = '${status}'))::float8 AS status_${status}`,
  ),
  '0 AS purged',
].join(', ');
const sumsOfTotals = `${usedColumns}, ${usedAnalyticsColumns}, coalesce(sum(purged_requests), 0)::float8 AS purged`;

/** SQL for the part of the time range that contains an instant: the day or the hour. */
type PartOf = (sql: string) => string;
const byPart = 'GROUP BY date ORDER BY date';

/** Selects the most used models in the request log, per day or in total. */
const modelsSql = (part: string) => `
  , used AS (
    SELECT ${part} AS date, provider, model, ${loggedColumns},
      (row_number() OVER (PARTITION BY ${part} ORDER BY count(*) DESC, provider, model))::int AS place
    FROM narrowed WHERE provider IS NOT NULL AND model IS NOT NULL GROUP BY 1, provider, model
  )
  SELECT * FROM used WHERE place <= ${modelsMax} ORDER BY date, place`;

type Question = ParsedRequestOf<typeof listDailyAnalyticsContract>;

/**
 * Lists an account's usage per day and in total, with the data for the dashboard's charts. Days without
 * requests are omitted. A figure is null if the log rows of the day were deleted.
 */
export async function listDailyAnalytics(
  database: TelemetryDatabase,
  question: Question,
): Promise<ReplyOf<typeof listDailyAnalyticsContract>> {
  const { filter, ...span } = question;
  const log = narrowLog(filter);
  const query = <Row>(sql: string) =>
    queryAccountLog<Row>(database, span, `${log.sql} ${sql}`, ...log.values);
  const [parts, total, logByDay, logTotal, dayModels, models, shadow, policy] = await Promise.all([
    readParts(database, question, dayOf),
    readTotal(database, question),
    readLog(database, question, dayOf),
    query<LogRow>(`SELECT ${logColumns} FROM narrowed`),
    query<ModelRow>(modelsSql(dayOf('created_at'))),
    query<ModelRow>(modelsSql(`''::text`)),
    query<ShadowCount>(recallSql),
    readCalibration(database, span.accountId, null),
  ]);
  const modelsByDay = Map.groupBy(dayModels, ({ date }) => date);
  return {
    days: parts.map(({ date, ...day }) => {
      const figures = renderFigures(day, logByDay.get(date), modelsByDay.get(date) ?? []);
      return { object: 'usage.analytics_day', date, ...figures };
    }),
    totals: {
      ...renderFigures(total, requireRow(logTotal), models),
      recall: renderRecall(shadow, policy),
    },
    hours: question.hasHours ? await listHours(database, question) : null,
  };
}

/** Lists the usage per hour, as the usage per day. The models of an hour are not counted. */
async function listHours(database: TelemetryDatabase, question: Question): Promise<AnalyticsHour[]> {
  const [parts, log] = await Promise.all([
    readParts(database, question, hourOf),
    readLog(database, question, hourOf),
  ]);
  return parts.map(({ date: hour, ...sums }) => {
    return { object: 'usage.analytics_hour', hour, ...renderFigures(sums, log.get(hour), []) };
  });
}

/** Returns the figures of the request log by day or hour. */
async function readLog(
  database: TelemetryDatabase,
  { filter, ...span }: Question,
  partOf: PartOf,
): Promise<ReadonlyMap<string, Dated<LogRow>>> {
  const { sql, values } = narrowLog(filter);
  const columns = `SELECT ${partOf('created_at')} AS date, ${logColumns} FROM narrowed ${byPart}`;
  const rows = await queryAccountLog<Dated<LogRow>>(database, span, `${sql} ${columns}`, ...values);
  return new Map(rows.map((row) => [row.date, row]));
}

/**
 * Stored totals exist only per account and API key. If a filter selects models or sessions, the usage is
 * available only in the request log.
 */
const isOnlyInLog = ({ model, session_id }: UsageFilter): boolean =>
  model !== undefined || session_id !== undefined;

/** Reads the usage of the days or hours with requests, oldest first. */
async function readParts(
  database: TelemetryDatabase,
  question: Question,
  partOf: PartOf,
): Promise<readonly Dated<SumRow>[]> {
  const { filter, ...span } = question;
  const { from, values } = narrowTotals(filter);
  const inTotals = `SELECT ${partOf('at')} AS date`;
  if (!isOnlyInLog(filter)) {
    const sql = `${inTotals}, ${sumsOfTotals} ${from} ${byPart}`;
    return queryAccountUsage<Dated<SumRow>>(database, span, sql, ...values);
  }
  const log = narrowLog(filter);
  const sql = `${log.sql} SELECT ${partOf('created_at')} AS date, ${sumsOfRows} FROM narrowed ${byPart}`;
  const purgedSql = `${inTotals}, sum(purged_requests)::float8 AS purged ${from}
    GROUP BY date HAVING sum(purged_requests) > 0`;
  const [parts, purgedParts] = await Promise.all([
    queryAccountLog<Dated<SumRow>>(database, span, sql, ...log.values),
    queryAccountUsage<Dated<{ readonly purged: number }>>(database, span, purgedSql, ...values),
  ]);
  const isPurged = new Set(purgedParts.map(({ date }) => date));
  const unknownParts = purgedParts.map((day) => ({ ...unknownSums, ...day }));
  const all = [...parts.filter(({ date }) => !isPurged.has(date)), ...unknownParts];
  return all.sort((one, other) => (one.date < other.date ? -1 : 1));
}

/** Reads the usage of the whole period. */
async function readTotal(database: TelemetryDatabase, { filter, ...span }: Question): Promise<SumRow> {
  const { from, values } = narrowTotals(filter);
  const stored = requireRow(
    await queryAccountUsage<SumRow>(database, span, `SELECT ${sumsOfTotals} ${from}`, ...values),
  );
  if (!isOnlyInLog(filter)) return stored;
  if (stored.purged > 0) return { ...unknownSums, purged: 1 };
  const log = narrowLog(filter);
  const sql = `${log.sql} SELECT ${sumsOfRows} FROM narrowed`;
  return requireRow(await queryAccountLog<SumRow>(database, span, sql, ...log.values));
}

const unknownSums: Omit<SumRow, 'purged'> = {
  ...usageFigures.parse(Object.fromEntries(usageFigures.keyof().options.map((name) => [name, null]))),
  ...{ gross_savings_usd: null, pruned_requests: null, status_ok: null, status_error: null },
  ...{ status_cancelled: null, status_truncated: null, status_interrupted: null },
};
const unknownLog: LogRow = {
  ...{ sessions: null, first_byte_p50_ms: null, first_byte_p95_ms: null, total_p50_ms: null },
  ...{ total_p95_ms: null, overhead_p50_ms: null, overhead_p95_ms: null },
};

/** @param log the figures from the request log, or undefined if the log has no row for the day */
function renderFigures(
  {
    purged,
    status_ok,
    status_error,
    status_cancelled,
    status_truncated,
    status_interrupted,
    ...sums
  }: SumRow,
  log: LogRow | undefined,
  models: readonly ModelRow[],
): Omit<AnalyticsDay, 'object' | 'date'> {
  const isWhole = purged === 0;
  const [ok, error] = [status_ok ?? 0, status_error ?? 0];
  const [cancelled, truncated] = [status_cancelled ?? 0, status_truncated ?? 0];
  const statuses = { ok, error, cancelled, truncated, interrupted: status_interrupted ?? 0 };
  return {
    ...sums,
    ...(isWhole ? { ...unknownLog, sessions: 0, ...log } : unknownLog),
    statuses: status_ok === null ? null : statuses,
    models: isWhole ? [...models] : null,
  };
}

function requireRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('an aggregate without a GROUP BY has one row');
  return row;
}

/** Renders the filter for an account's totals. Totals do not distinguish models or sessions. */
function narrowTotals({ key_id }: UsageFilter): {
  readonly from: string;
  readonly values: readonly string[];
} {
  return key_id === undefined
    ? { from: 'FROM used', values: [] }
    : { from: 'FROM used WHERE key_id = $6::uuid', values: [key_id] };
}

/**
 * The SQL definition of `narrowed`. The SQL must follow the definition of `own` (`queryAccountLog`). The SQL
 * parameters of `narrowed` start at `$4`.
 */
interface NarrowedLog {
  readonly sql: string;
  readonly values: readonly string[];
}

/** Renders the filter for an account's request log. A filter field that is unset matches every log row. */
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
  // A model filter matches the model name in the response or the requested name, as in the request list.
  // A model filter also matches the combination of provider and model name.
  add(
    model,
    (place) => `(${place}::text IN (model, requested_model) OR provider || '/' || model = ${place}::text)`,
  );
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { sql: `, narrowed AS NOT MATERIALIZED (SELECT * FROM own ${where})`, values };
}
