import type {
  RequestFilter,
  RequestOrder,
  exportRequests as exportRequestsContract,
  getRequest as getRequestContract,
  listRequests as listRequestsContract,
  readRequests as readRequestsContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import type {
  TelemetryDatabase,
  TelemetryModels,
  TelemetryOrder,
  TelemetryWhere,
} from '../../persistence/telemetry-database.ts';
import { entryFields, renderDetail, renderEntry, storedContext } from './render-request.ts';
import { parseRequestTimeMs } from '../../persistence/partitions.ts';

/**
 * Maximum number of requests to count. Counting scans the index row by row, and takes about 15 ms for the
 * maximum number of rows. A total equal to the maximum means that more requests may match.
 */
const totalMax = 100_000;

/**
 * Lists an account's requests that match the filter, by default newest first. The field `total` counts all matching
 * requests. Counting stops at 100,000 if the filter uses anything except the API key and the status `error`. For a
 * list with `further` ids, Postgres sorts only ids, because the rows of a large page are wide.
 */
export async function listRequests(
  database: TelemetryDatabase,
  { accountId, limit, offset, filter, order, further }: ParsedRequestOf<typeof listRequestsContract>,
): Promise<ReplyOf<typeof listRequestsContract>> {
  const models = database.forAccount(accountId);
  const where = chooseRequestFilter(filter);
  const listed = { where, orderBy: chooseOrder(order), skip: offset };
  const counting = countRequests(models, filter, where);
  if (further === 0) {
    const page = models.requestLog.findMany({ ...entryFields, ...listed, take: limit });
    const [total, rows] = await Promise.all([counting, page]);
    return { total, requests: rows.map(renderEntry), further: [] };
  }
  const page = models.requestLog.findMany({ select: { id: true }, ...listed, take: limit + further });
  const [total, rows] = await Promise.all([counting, page]);
  const ids = rows.map(({ id }) => id);
  const { requests } = await readRequests(database, { accountId, ids: ids.slice(0, limit) });
  return { total, requests, further: ids.slice(limit) };
}

/** Returns the requests with the given ids, in the given order. A request id determines the partition of its row. */
export async function readRequests(
  database: TelemetryDatabase,
  { accountId, ids }: ParsedRequestOf<typeof readRequestsContract>,
): Promise<ReplyOf<typeof readRequestsContract>> {
  const rows = await database.forAccount(accountId).requestLog.findMany({
    ...entryFields,
    where: {
      id: { in: ids },
      createdAt: { in: ids.map((id) => new Date(parseRequestTimeMs(id) ?? 0)) },
    },
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { requests: ids.flatMap((id) => byId.get(id) ?? []).map(renderEntry) };
}

const newestFirst: TelemetryOrder[] = [{ createdAt: 'desc' }, { id: 'desc' }];

function chooseOrder(order: RequestOrder | undefined): TelemetryOrder[] {
  if (order === undefined) return newestFirst;
  const direction = order.isDescending ? 'desc' : 'asc';
  switch (order.by) {
    case 'created_at':
      return [{ createdAt: direction }, { id: direction }];
    case 'cost_usd':
      return [{ costUsd: { sort: direction, nulls: 'last' } }, ...newestFirst];
    case 'duration':
      return [{ msTotal: direction }, ...newestFirst];
  }
}

/**
 * Counts requests by means of the hourly totals. For each API key, the hourly totals contain the number of requests
 * and errors that are still in the log.
 */
async function countRequests(
  { requestLog, usageHour }: TelemetryModels,
  filter: RequestFilter,
  where: TelemetryWhere,
): Promise<number> {
  const { keyId, status, ...others } = filter;
  const isSummed = status === undefined || status === 'error';
  if (!isSummed || Object.values(others).some((value) => value !== undefined))
    // Without an order, Prisma sorts by id. Then Postgres reads rows of other accounts, or sorts all matching rows.
    return requestLog.count({ where, orderBy: newestFirst, take: totalMax });
  const { _sum: sums } = await usageHour.aggregate({
    ...(keyId === undefined ? {} : { where: { keyId } }),
    _sum: { loggedRequests: true, loggedErrors: true },
  });
  return Number((status === 'error' ? sums.loggedErrors : sums.loggedRequests) ?? 0);
}

/**
 * Returns one request with all details. Returns null if the request is unknown or belongs to another
 * account.
 */
export async function getRequest(
  database: TelemetryDatabase,
  { accountId, requestId }: ParsedRequestOf<typeof getRequestContract>,
): Promise<ReplyOf<typeof getRequestContract>> {
  const id = requestId.toLowerCase();
  const timeMs = parseRequestTimeMs(id);
  if (timeMs === null) return { request: null };
  // The time in the request id determines the partition.
  const row = await database
    .forAccount(accountId)
    .requestLog.findUnique({ where: { id_createdAt: { id, createdAt: new Date(timeMs) } } });
  if (row === null) return { request: null };
  const { session = null, blocks = [] } = storedContext.parse(row.context) ?? {};
  return { request: renderDetail(row), session, blocks };
}

/** Returns the next requests that match the filter, newest first, starting after `before`. */
export async function exportRequests(
  database: TelemetryDatabase,
  { accountId, limit, before, filter }: ParsedRequestOf<typeof exportRequestsContract>,
): Promise<ReplyOf<typeof exportRequestsContract>> {
  const narrowed = chooseRequestFilter(filter);
  const rows = await database.forAccount(accountId).requestLog.findMany({
    ...entryFields,
    where: before === null ? narrowed : { AND: [narrowed, isBefore(before)] },
    orderBy: newestFirst,
    take: limit,
  });
  return { requests: rows.map(renderEntry) };
}

/**
 * The order of the requests matches the index, which sorts by time first. Each request id starts with the
 * time of the request.
 */
function isBefore(id: string): TelemetryWhere {
  const at = new Date(parseRequestTimeMs(id) ?? 0);
  return { createdAt: { lte: at }, OR: [{ createdAt: { lt: at } }, { id: { lt: id } }] };
}

/** Renders the filter as a database query. An unset field matches every request. */
export function chooseRequestFilter({
  keyId,
  model,
  sessionId,
  status,
  from,
  to,
  search,
}: RequestFilter): TelemetryWhere {
  return {
    ...(search === undefined ? {} : { AND: [findText(search)] }),
    ...(keyId === undefined ? {} : { keyId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(status === undefined ? {} : { status }),
    ...(model === undefined ? {} : { OR: listModelNames(model) }),
    ...(from === undefined && to === undefined
      ? {}
      : {
          createdAt: {
            ...(from === undefined ? {} : { gte: from }),
            ...(to === undefined ? {} : { lt: to }),
          },
        }),
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Finds a text in a request. The text is compared with all rows of the account, or with its rows in the filter's
 * time span. A UUID with a time is a request id, or a session id: some agents name their sessions in this form.
 */
function findText(text: string): TelemetryWhere {
  const id = text.toLowerCase();
  const timeMs = uuid.test(id) ? parseRequestTimeMs(id) : null;
  if (timeMs !== null) return { OR: [{ id, createdAt: new Date(timeMs) }, { sessionId: text }] };
  const part = { contains: text.replaceAll(/[\\%_]/g, String.raw`\$&`), mode: 'insensitive' } as const;
  return {
    OR: [
      ...[{ sessionId: part }, { model: part }, { requestedModel: part }],
      ...[{ errorCode: part }, { errorMessage: part }, ...usesTool(text)],
    ],
  };
}

/** Matches requests in which the model called the tool, or recovered the pruned tool. */
export function usesTool(name: string): TelemetryWhere[] {
  return [{ calledTools: { has: name } }, { recoveredTools: { has: name } }];
}

/**
 * A model name can contain slashes, so the filter `a/b` matches both the model named `a/b` and the model
 * `b` from the provider `a`.
 */
function listModelNames(model: string): TelemetryWhere[] {
  const slash = model.indexOf('/');
  const names: TelemetryWhere[] = [{ model }, { requestedModel: model }];
  if (slash > 0) names.push({ provider: model.slice(0, slash), model: model.slice(slash + 1) });
  return names;
}
