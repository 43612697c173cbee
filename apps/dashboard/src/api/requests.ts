import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
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

/** Time between two reloads of a live list, in milliseconds. */
const liveReloadMs = 10_000;

/**
 * Loads the request log. Another page is loaded when the user reaches the end of the
 * list. The end time `until` (RFC 3339) is fixed, so that new requests do not shift the pages. A live list is reloaded
 * regularly, because requests are sorted by arrival, but logged when they end. A long request that arrived before
 * `until` can be logged later.
 */
export function useRequests(filter: RequestFilter, order: RequestOrder, until: string, isLive: boolean) {
  return useInfiniteQuery({
    queryKey: ['requests', filter, order, until],
    queryFn: ({ pageParam }) => readRequests({ to: until, ...filter, ...order }, pageParam, requestPageRows),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? liveReloadMs : false,
  });
}

/**
 * The number of requests since a given time. The number is refreshed every few seconds while the page is visible.
 * @param everyMs the time between two refreshes in milliseconds
 */
export function useNewRequests(filter: RequestFilter, since: string, everyMs: number) {
  return useQuery({
    queryKey: ['new-requests', filter, since],
    queryFn: async () => (await readRequests({ ...filter, from: since }, 0, 1)).total,
    refetchInterval: everyMs,
    enabled: filter.to === undefined,
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
