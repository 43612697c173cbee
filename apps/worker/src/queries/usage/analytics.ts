import {
  requestStatus,
  type AnalyticsDay,
  type AnalyticsTotals,
  type RequestStatus,
  type UsageFilter,
  type listDailyAnalytics as listDailyAnalyticsContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readCalibration } from '../../jobs/calibrate/calibrate.ts';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { recallSql, renderRecall, type ShadowCount } from './recall.ts';
import { dayOf, loggedColumns } from './usage-columns.ts';

const dayOfRow = dayOf('created_at');

const modelsMax = 20;
type StatusColumns = Record<`status_${RequestStatus}`, number>;
type DayRow = Omit<AnalyticsDay, 'statuses' | 'models'> & StatusColumns;
type TotalsRow = Omit<AnalyticsTotals, 'statuses' | 'models' | 'recall'> & StatusColumns;
type ModelRow = AnalyticsDay['models'][number] & { date: string };

const percentile = (share: number, column: string) =>
  `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${column}) FILTER (WHERE status = 'ok')`;

const figures = [
  `count(DISTINCT session_id)::float8 AS sessions`,
  `(count(*) FILTER (WHERE tools_out < tools_in))::float8 AS pruned_requests`,
  ...requestStatus.options.map(
    (status) => `(count(*) FILTER (WHERE status = '${status}'))::float8 AS status_${status}`,
  ),
  ...['first_byte', 'total', 'overhead'].flatMap((name) => [
    `${percentile(0.5, `ms_${name}`)} AS ${name}_p50_ms`,
    `${percentile(0.95, `ms_${name}`)} AS ${name}_p95_ms`,
  ]),
  loggedColumns,
].join(', ');

const daysSql = `
  SELECT 'usage.analytics_day' AS object, ${dayOfRow} AS date, ${figures} FROM narrowed GROUP BY date ORDER BY date`;
const totalsSql = `SELECT ${figures} FROM narrowed`;

/** Selects the most used models for each part of the log: per day, or in total. */
const modelsSql = (part: string) => `
  , used AS (
    SELECT ${part} AS date, provider, model, ${loggedColumns},
      (row_number() OVER (PARTITION BY ${part} ORDER BY count(*) DESC, provider, model))::int AS place
    FROM narrowed WHERE provider IS NOT NULL AND model IS NOT NULL GROUP BY 1, provider, model
  )
  SELECT * FROM used WHERE place <= ${modelsMax} ORDER BY date, place`;

/**
 * Lists an account's usage per day and in total, with the data for the dashboard's charts. Days without
 * requests are omitted.
 */
export async function listDailyAnalytics(
  database: TelemetryDatabase,
  { filter, ...span }: ParsedRequestOf<typeof listDailyAnalyticsContract>,
): Promise<ReplyOf<typeof listDailyAnalyticsContract>> {
  const log = narrowLog(filter);
  const query = <Row>(sql: string) =>
    queryAccountLog<Row>(database, span, `${log.sql} ${sql}`, ...log.values);
  const [days, models, totals, usedModels, shadow, policy] = await Promise.all([
    query<DayRow>(daysSql),
    query<ModelRow>(modelsSql(dayOfRow)),
    query<TotalsRow>(totalsSql),
    query<ModelRow>(modelsSql(`''::text`)),
    query<ShadowCount>(recallSql),
    readCalibration(database, span.accountId, null),
  ]);
  const modelsByDay = Map.groupBy(models, ({ date }) => date);
  return {
    days: days.map((day) => renderFigures(day, modelsByDay.get(day.date) ?? [])),
    totals: { ...renderFigures(requireRow(totals), usedModels), recall: renderRecall(shadow, policy) },
  };
}

function renderFigures<Row extends StatusColumns>(
  row: Row,
  models: readonly ModelRow[],
): Row & Pick<AnalyticsDay, 'statuses' | 'models'> {
  const statuses = Object.fromEntries(
    requestStatus.options.map((status) => [status, row[`status_${status}`]]),
  ) as AnalyticsDay['statuses'];
  return { ...row, statuses, models: [...models] };
}

function requireRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('an aggregate without a GROUP BY has one row');
  return row;
}

/**
 * The SQL definition of `narrowed`, which follows the definition of `own` (`queryAccountLog`). Its parameters
 * start at `$4`.
 */
interface NarrowedLog {
  readonly sql: string;
  readonly values: readonly string[];
}

/** Renders the filter for an account's log. Fields that are not set do not filter. */
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
  // The request list uses the same rule: the model name in the response, the requested name, or the name with
  // its provider.
  add(
    model,
    (place) => `(${place}::text IN (model, requested_model) OR provider || '/' || model = ${place}::text)`,
  );
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { sql: `, narrowed AS NOT MATERIALIZED (SELECT * FROM own ${where})`, values };
}
