import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { Item } from './types.ts';

/** An event of the audit log. */
export type AuditEvent = Item<'/v1/account/audit'>;
export type AuditAction = AuditEvent['action'];

/** Filters for the audit log. `since` (inclusive) and `until` (exclusive) are RFC 3339 times. */
export interface AuditFilter {
  readonly action?: AuditAction;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
}

const pageRows = 100;

const readAudit = (filter: AuditFilter, offset: number) =>
  unwrap(api.GET('/v1/account/audit', { params: { query: { ...filter, offset, limit: pageRows } } }));

/**
 * Loads the audit log, newest event first. Another page is loaded when the user reaches the end of the list.
 * The end time `until` (RFC 3339) is fixed, so that new events do not shift the pages.
 */
export function useAudit(filter: AuditFilter, until: string) {
  return useInfiniteQuery({
    queryKey: ['audit', filter, until],
    queryFn: ({ pageParam }) => readAudit({ until, ...filter }, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
    placeholderData: keepPreviousData,
  });
}

/** The filtered log as a CSV file. */
export const readAuditCsv = (filter: AuditFilter): Promise<Blob> =>
  unwrap(
    api.GET('/v1/account/audit/export', {
      params: { query: { ...filter, format: 'csv' as const } },
      parseAs: 'blob',
    }),
  );
