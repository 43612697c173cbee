import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { TableHead } from './data-table-head.tsx';
import { RowsInView } from './data-table-row.tsx';
import { ScrollRegion } from './scroll-region.tsx';
import classes from './data-table.module.css';
import type { DataTableProps } from './table-props.ts';

const headHeight = 40;
/** Rows beyond the visible ones that are drawn, so that scrolling shows no gaps. */
const overscan = 12;

/**
 * A table of any length: only the rows in view are in the page. Rows are of one height; texts that are longer than their
 * cell are cut off with an ellipsis. Put a link into the first column for what a row leads to.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, total, rowHeight = 44, minWidth = '40rem', maxHeight = '70vh' } = props;
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  const items = virtualizer.getVirtualItems();
  useEndReached(props, items.at(-1)?.index ?? -1);
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <ScrollRegion ref={frame} label={label} className={classes.frame} style={{ maxHeight }}>
      <div role="table" aria-label={label} aria-rowcount={(total ?? rows.length) + 1} style={{ minWidth }}>
        <TableHead {...props} template={template} height={headHeight} />
        <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
          <RowsInView items={items} template={template} {...props} />
        </div>
      </div>
    </ScrollRegion>
  );
}

function useEndReached<Row>({ rows, total, onEndReached, isLoadingMore }: DataTableProps<Row>, last: number) {
  const hasMore = total === undefined ? true : rows.length < total;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 1 && hasMore && isLoadingMore !== true) onEndReached?.();
  }, [last, rows.length, hasMore, isLoadingMore, onEndReached]);
}
