import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { api, unwrap } from './client.ts';
import type { RequestStatus } from './types.ts';

/** Filters for the request log. `from` (inclusive) and `to` (exclusive) are RFC 3339 times. */
export interface RequestFilter {
  readonly status?: RequestStatus;
  readonly key_id?: string;
  readonly model?: string;
  readonly session_id?: string;
  readonly from?: string;
  readonly to?: string;
  /** A part of the session id, model or error, or the complete request id or name of a called tool. */
  readonly search?: string;
}

/** The order of the request log. The default is the newest request first. */
export interface RequestOrder {
  readonly sort: 'created_at' | 'cost_usd' | 'duration';
  readonly order: 'asc' | 'desc';
}

export const requestPageRows = 100;

const readRequests = (filter: RequestFilter & Partial<RequestOrder>, offset: number, limit: number) =>
  unwrap(api.GET('/v1/account/requests', { params: { query: { ...filter, offset, limit } } }));
export type RequestPage = Awaited<ReturnType<typeof readRequests>>;
export type RequestEntry = RequestPage['data'][number];

/**
 * Loads the request log. Another page is loaded when the user reaches the end of the
 * list. The end time `until` (RFC 3339) is fixed, so that new requests do not shift the pages.
 * @param live rows of `useLiveRequests`, which are added to a list of the newest requests
 */
export function useRequests(
  filter: RequestFilter,
  order: RequestOrder,
  until: string,
  live: readonly RequestEntry[],
) {
  const select = useCallback((data: InfiniteData<RequestPage>) => addLiveRows(data, live), [live]);
  return useInfiniteQuery({
    queryKey: ['requests', filter, order, until],
    queryFn: ({ pageParam }) => readRequests({ to: until, ...filter, ...order }, pageParam, requestPageRows),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
    placeholderData: keepPreviousData,
    ...(live.length > 0 && isNewestFirst(order) ? { select } : {}),
  });
}

export const isNewestFirst = ({ sort, order }: RequestOrder): boolean =>
  sort === 'created_at' && order === 'desc';

/** Time between two loads of a live list, in milliseconds. */
const liveMs = 2_000;
/**
 * Requests are sorted by arrival, but logged when they end. Every fifth load of a live list therefore also loads the
 * newest 100 requests that arrived in the last ten minutes.
 */
const lateMs = 600_000;
const loadsPerLateSearch = 5;

interface LiveRequests {
  /** The loaded requests, newest first. */
  readonly rows: readonly RequestEntry[];
  readonly loads: number;
  /** Whether more requests arrived than one load returns, so that the list must be loaded again. */
  readonly isBehind: boolean;
}

/**
 * Loads the requests that are newer than a list, every few seconds. The rows stay when the list is no longer live.
 * @param since the end time of the list
 */
export function useLiveRequests(filter: RequestFilter, since: string, isLive: boolean): LiveRequests {
  const { data } = useQuery({
    queryKey: ['live-requests', filter, since],
    queryFn: ({ client, queryKey }) =>
      loadNewRows(client.getQueryData<LiveRequests>(queryKey) ?? noneYet, filter, since),
    refetchInterval: liveMs,
    enabled: isLive && filter.to === undefined,
  });
  return data ?? noneYet;
}

const noneYet: LiveRequests = { rows: [], loads: 0, isBehind: false };

async function loadNewRows(
  { rows, loads }: LiveRequests,
  filter: RequestFilter,
  since: string,
): Promise<LiveRequests> {
  const newest = rows.find(({ created_at }) => created_at > since)?.created_at ?? since;
  const isLate = loads % loadsPerLateSearch === 0;
  const from = isLate ? new Date(Date.now() - lateMs).toISOString() : newest;
  const range = { from: latest(from, filter.from) };
  const { data, total } = await readRequests({ ...filter, ...range }, 0, requestPageRows);
  const oldest = data.at(-1)?.created_at ?? newest;
  return {
    rows: mergeRows(rows, data),
    loads: loads + 1,
    isBehind: data.length < total && oldest > newest,
  };
}

const latest = (one: string, other: string | undefined): string =>
  other !== undefined && Date.parse(other) > Date.parse(one) ? other : one;

type Position = Pick<RequestEntry, 'id' | 'created_at'>;

/** Returns the rows of both lists without duplicates, newest first. Rows of the second list replace the same rows. */
function mergeRows<Row extends Position>(rows: readonly Row[], others: readonly Row[]): Row[] {
  const byId = new Map([...rows, ...others].map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => (isBefore(one, other) ? 1 : -1));
}

const isBefore = (one: Position, other: Position): boolean =>
  one.created_at === other.created_at ? one.id < other.id : one.created_at < other.created_at;

/** Adds live rows to the loaded pages. Rows older than the loaded pages are left to the next pages. */
function addLiveRows(
  data: InfiniteData<RequestPage>,
  live: readonly RequestEntry[],
): InfiniteData<RequestPage> {
  const [first] = data.pages;
  if (first === undefined) return data;
  const loaded = data.pages.flatMap((page) => page.data);
  const last = loaded.length < first.total ? (loaded.at(-1)?.created_at ?? '') : '';
  const all = mergeRows(
    loaded,
    live.filter(({ created_at }) => created_at > last),
  );
  const added = all.length - new Set(loaded.map(({ id }) => id)).size;
  return { ...data, pages: [{ ...first, data: all, total: first.total + added }] };
}

/**
 * The number of requests since a given time. The number is refreshed every few seconds while the page is visible.
 * @param everyMs the time between two refreshes in milliseconds, or null to count nothing
 */
export function useNewRequests(filter: RequestFilter, since: string, everyMs: number | null) {
  return useQuery({
    queryKey: ['new-requests', filter, since],
    queryFn: async () => (await readRequests({ ...filter, from: since }, 0, 1)).total,
    refetchInterval: everyMs ?? false,
    enabled: everyMs !== null && filter.to === undefined,
  });
}

/** Whether the account has requests in its log. */
export function useHasRequests() {
  return useQuery({
    queryKey: ['requests', 'any'],
    queryFn: async () => (await readRequests({}, 0, 1)).total > 0,
  });
}

/** The newest 500 requests in a session, oldest request first. */
export function useSessionRequests(sessionId: string) {
  return useQuery({
    queryKey: ['requests', 'session', sessionId],
    queryFn: async () => {
      const { data, total } = await readRequests({ session_id: sessionId }, 0, 500);
      return { requests: data.toReversed(), total };
    },
  });
}

const readRequest = (requestId: string) =>
  unwrap(api.GET('/v1/account/requests/{request_id}', { params: { path: { request_id: requestId } } }));
export type RequestDetail = Awaited<ReturnType<typeof readRequest>>;
export type Candidate = RequestDetail['trace']['candidates'][number];

/** The query that loads one request with all details. */
export const requestQuery = (requestId: string | undefined) =>
  queryOptions({
    queryKey: ['request', requestId],
    queryFn: () => readRequest(requestId ?? ''),
    enabled: requestId !== undefined,
  });

/** Loads one request with all its details. */
export function useRequest(requestId: string | undefined) {
  return useQuery(requestQuery(requestId));
}

const triesMax = 25;
const betweenTriesMs = 400;

/**
 * Loads a request that has just finished. The query first polls the request list of the session, because a request
 * appears in the log after about a second.
 */
export function useNewRequest(requestId: string | undefined, sessionId: string) {
  return useQuery({
    queryKey: ['new-request', requestId],
    queryFn: async () => {
      const { data } = await readRequests({ session_id: sessionId }, 0, 10);
      if (!data.some(({ id }) => id === requestId)) throw new Error('The request is not in the log yet.');
      return readRequest(requestId ?? '');
    },
    enabled: requestId !== undefined,
    retry: triesMax,
    retryDelay: betweenTriesMs,
    staleTime: Infinity,
  });
}
