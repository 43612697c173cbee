import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';

const pageRows = 100;

const readSessions = (from: string, offset: number) =>
  unwrap(api.GET('/v1/account/sessions', { params: { query: { from, offset, limit: pageRows } } }));
export type SessionUsage = Awaited<ReturnType<typeof readSessions>>['data'][number];

/** Conversations with requests since `from` (RFC 3339), the one that was active last first. */
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
