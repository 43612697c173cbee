import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, LoadingState } from './states.tsx';

interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
  readonly isEmpty?: (data: Data) => boolean;
  readonly empty?: ReactNode;
  /** How tall the skeleton is, in lines, so that nothing jumps when the content comes. */
  readonly lines?: number;
}

/** A query's content, or why there is none yet. What was loaded once stays while it is asked for again. */
export function QueryView<Data>({ query, children, isEmpty, empty, lines }: QueryViewProps<Data>) {
  if (query.data === undefined) {
    if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
    return <LoadingState lines={lines} />;
  }
  if (empty !== undefined && isEmpty?.(query.data) === true) return empty;
  return children(query.data);
}
