import {
  requestStatus,
  type AnalyticsDay,
  type listDailyAnalytics as contract,
  type RequestStatus,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { dayOf, usageColumns } from '../usage-columns.ts';

const dayOfRow = dayOf('created_at');

const modelsMax = 20;
type DayRow = Omit<AnalyticsDay, 'statuses' | 'models'> & Record<`status_${RequestStatus}`, number>;
type ModelRow = AnalyticsDay['models'][number] & { date: string };

const percentile = (share: number, column: string) =>
  `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${column}) FILTER (WHERE status = 'ok')`;

const dayColumns = [
  `'usage.analytics_day' AS object`,
  `${dayOfRow} AS date`,
  `count(DISTINCT session_id)::float8 AS sessions`,
  `(count(*) FILTER (WHERE tools_out < tools_in))::float8 AS pruned_requests`,
  ...requestStatus.options.map(
    (status) => `(count(*) FILTER (WHERE status = '${status}'))::float8 AS status_${status}`,
  ),
  ...['first_byte', 'total', 'overhead'].flatMap((name) => [
    `${percentile(0.5, `ms_${name}`)} AS ${name}_p50_ms`,
    `${percentile(0.95, `ms_${name}`)} AS ${name}_p95_ms`,
  ]),
  usageColumns,
];
const daysSql = `SELECT ${dayColumns.join(', ')} FROM own GROUP BY date ORDER BY date`;

const modelsSql = `
  , used AS (
    SELECT ${dayOfRow} AS date, provider, model, ${usageColumns},
      (row_number() OVER (PARTITION BY ${dayOfRow} ORDER BY count(*) DESC, provider, model))::int AS place
    FROM own WHERE provider IS NOT NULL AND model IS NOT NULL GROUP BY date, provider, model
  )
  SELECT * FROM used WHERE place <= ${modelsMax} ORDER BY date, place`;

/** An account's usage by day, with what a dashboard draws of it. Days without requests are left out. */
export async function listDailyAnalytics(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const [days, models] = await Promise.all([
    queryAccountLog<DayRow>(database, span, daysSql),
    queryAccountLog<ModelRow>(database, span, modelsSql),
  ]);
  const modelsByDay = Map.groupBy(models, ({ date }) => date);
  return { days: days.map((day) => renderDay(day, modelsByDay.get(day.date) ?? [])) };
}

function renderDay(row: DayRow, models: readonly ModelRow[]): AnalyticsDay {
  const statuses = Object.fromEntries(
    requestStatus.options.map((status) => [status, row[`status_${status}`]]),
  ) as AnalyticsDay['statuses'];
  return { ...row, statuses, models: [...models] };
}
