import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';

/** Filters for usage figures by API key, model or session. */
export interface UsageFilter {
  readonly key_id?: string;
  readonly model?: string;
  readonly session_id?: string;
}

const readAnalytics = (days: number, filter: UsageFilter) => {
  const interval = days === 1 ? 'hour' : 'day';
  return unwrap(
    api.GET('/v1/account/usage/analytics/daily', { params: { query: { days, interval, ...filter } } }),
  );
};
export type Analytics = Awaited<ReturnType<typeof readAnalytics>>;
export type AnalyticsDay = Analytics['data'][number];
export type AnalyticsHour = NonNullable<Analytics['hours']>[number];
export type AnalyticsTotals = NonNullable<Analytics['totals']>;

/**
 * Loads usage for the last `days` UTC days including today, by day and in total. For a single day, also loads usage by
 * hour. The previous figures stay visible while new figures are loading.
 */
export function useAnalytics(days: number, filter: UsageFilter) {
  return useQuery({
    queryKey: ['analytics', days, filter],
    queryFn: () => readAnalytics(days, filter),
    placeholderData: keepPreviousData,
  });
}

const readKeyUsage = (from: string, to: string) =>
  unwrap(api.GET('/v1/account/usage/by-key', { params: { query: { from, to } } }));
export type KeyUsage = Awaited<ReturnType<typeof readKeyUsage>>['data'][number];

/** Usage totals by API key from `from` (inclusive) to `to` (exclusive). */
export function useKeyUsage(span: { readonly from: string; readonly to: string } | undefined) {
  return useQuery({
    queryKey: ['key-usage', span],
    queryFn: () => readKeyUsage(span?.from ?? '', span?.to ?? ''),
    enabled: span !== undefined,
    placeholderData: keepPreviousData,
  });
}

/** The time span to which usage figures apply. If a session id is given, the figures cover only its requests. */
export interface CacheReportQuery {
  readonly from: string;
  readonly to: string;
  readonly session_id?: string;
}

const readCacheReport = (query: CacheReportQuery) =>
  unwrap(api.GET('/v1/account/usage/cache', { params: { query } }));
export type CacheReport = Awaited<ReturnType<typeof readCacheReport>>;

/** Prompt cache misses, grouped by cause. */
export function useCacheReport(query: CacheReportQuery) {
  return useQuery({
    queryKey: ['cache-report', query],
    queryFn: () => readCacheReport(query),
    placeholderData: keepPreviousData,
  });
}

const pageRows = 100;

const readSessions = (from: string, offset: number) =>
  unwrap(api.GET('/v1/account/sessions', { params: { query: { from, offset, limit: pageRows } } }));
export type SessionUsage = Awaited<ReturnType<typeof readSessions>>['data'][number];

/** Sessions with requests since `from` (RFC 3339), most recently active first. */
export function useSessions(from: string) {
  return useInfiniteQuery({
    queryKey: ['sessions', from],
    queryFn: ({ pageParam }) => readSessions(from, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
    placeholderData: keepPreviousData,
  });
}
