import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatNumberOf } from '../lib/format.ts';
import { DataTable, type Column, type Sorting } from './data-table.tsx';
import { ErrorState, QueryView } from './states.tsx';
import classes from './paged-table.module.css';

interface Page<Row> {
  readonly data: readonly Row[];
  readonly total: number;
}

interface PagedTableProps<Row> {
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>;
  /** A description of the rows for screen readers. */
  readonly label: string;
  /** The singular noun for a row, shown in the count above the table. */
  readonly noun: string;
  readonly columns: readonly Column<Row>[];
  /** The columns on a phone. */
  readonly phoneColumns?: readonly Column<Row>[];
  /** Row height in pixels. */
  readonly rowHeight?: number;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  readonly rowKey: (row: Row) => string;
  /** The content of an empty table. */
  readonly empty: ReactNode;
  /** The number of rows at which the gateway stops counting. */
  readonly countedMax?: number;
}

/**
 * A log, shown as a table with the total number of rows. Another page is loaded when the user reaches the end
 * of the table.
 */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { query, label, columns, phoneColumns, rowHeight, sorting, onSort, rowKey, empty } = props;
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  const loadMore = (): void => void query.fetchNextPage();
  return (
    <div aria-busy={query.isFetching} className={classes.list}>
      <QueryView query={query} lines={14} isEmpty={() => rows.length === 0} empty={empty}>
        {() => (
          <>
            <Total {...props} total={total} />
            <DataTable
              {...{ label, columns, phoneColumns, rows, rowKey, total, rowHeight, sorting, onSort }}
              onEndReached={query.hasNextPage && !query.isFetchNextPageError ? loadMore : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
            {query.isFetchNextPageError ? <ErrorState error={query.error} onRetry={loadMore} /> : null}
          </>
        )}
      </QueryView>
    </div>
  );
}

type TotalProps<Row> = Pick<PagedTableProps<Row>, 'query' | 'noun' | 'countedMax'> & {
  readonly total: number;
};

function Total<Row>({ query, noun, countedMax = Infinity, total }: TotalProps<Row>) {
  return (
    <p className={classes.total} role="status">
      {total >= countedMax ? 'at least ' : ''}
      {formatNumberOf(total, noun)}
      {query.isFetching ? ' · loading…' : ''}
    </p>
  );
}
