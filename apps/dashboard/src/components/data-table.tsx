import type { ReactNode } from 'react';
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useMediaQuery, useMergedRef, useResizeObserver } from '@mantine/hooks';
import type { VirtualItem } from '@tanstack/react-virtual';
import { useVirtualizer } from '@tanstack/react-virtual';
import { UnstyledButton } from '@mantine/core';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { ScrollRegion } from './panel.tsx';
import classes from './data-table.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** The width of the column as a CSS grid track with a minimum in rem, such as `minmax(10rem, 2fr)`. */
  readonly width: string;
  /** How the column is aligned. Columns of numbers need the alignment `end`. */
  readonly align?: 'end';
  /** Whether the user can sort by this column. A sortable column requires `onSort`. */
  readonly isSortable?: boolean;
  /** In a narrow frame, columns are left out in this order, until the rest fits. Other columns always stay. */
  readonly dropOrder?: number;
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

interface DataTableProps<Row> {
  /** A description of the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The total number of rows, for a table that has loaded only some rows. */
  readonly total?: number;
  /** The callback that runs when the last loaded row scrolls into view. */
  readonly onEndReached?: () => void;
  readonly isLoadingMore?: boolean;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** The columns on a phone. These columns must fit into 20rem, so that the table does not scroll sideways. */
  readonly phoneColumns?: readonly Column<Row>[];
  /** Row height in pixels. A row with one line of text takes 44 pixels. */
  readonly rowHeight?: number;
  /** Maximum height of the scrolling part of the table, as a CSS length. */
  readonly maxHeight?: string;
}

const headHeight = 40;
/** Number of rows that are rendered above and below the visible range, so that scrolling shows no gaps. */
const overscan = 12;

/**
 * A table with any number of rows. The HTML page contains only the visible table rows. All table rows have the same
 * height, and long text ends with an ellipsis. If a table row opens a page, its first column contains the link.
 */
export function DataTable<Row>(given: DataTableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const [measured, { width }] = useResizeObserver<HTMLDivElement>();
  const { minWidth, ...props } = useFittingColumns(given, width);
  const { label, columns, rows, total, rowHeight = 44, maxHeight = '70vh' } = props;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  // The virtualizer keeps the heights of rows, also when the table changes to the columns of a phone.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const items = virtualizer.getVirtualItems();
  useEndReached(props, items.at(-1)?.index ?? -1);
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <ScrollRegion
      ref={useMergedRef(frame, measured)}
      label={label}
      className={classes.frame}
      style={{ maxHeight }}
    >
      <div role="table" aria-label={label} aria-rowcount={(total ?? rows.length) + 1} style={{ minWidth }}>
        <TableHead {...props} template={template} height={headHeight} />
        <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
          <RowsInView items={items} template={template} {...props} />
        </div>
      </div>
    </ScrollRegion>
  );
}

/** A row on a phone has two lines. */
const phoneRowHeight = 64;

/** The gap between two columns, and the padding of a row, in rem. */
const [gapRem, paddingRem] = [1, 2];

/** The width in rem below which a table with the given columns scrolls sideways. */
function sumWidths(columns: readonly Pick<Column<never>, 'width'>[]): number {
  const widths = columns.map(({ width }) => Number.parseFloat(width.replace('minmax(', '')));
  return widths.reduce((sum, each) => sum + each + gapRem, paddingRem - gapRem);
}

/** Leaves out columns until the rest fits into the given width in rem. */
function fitColumns<Row>(columns: readonly Column<Row>[], roomRem: number): readonly Column<Row>[] {
  const [next] = columns
    .filter(({ dropOrder }) => dropOrder !== undefined)
    .toSorted((one, other) => (one.dropOrder ?? 0) - (other.dropOrder ?? 0));
  if (next === undefined || sumWidths(columns) <= roomRem) return columns;
  return fitColumns(
    columns.filter((column) => column !== next),
    roomRem,
  );
}

/**
 * Chooses the columns for the width of the screen and of the table's frame. If the chosen columns do not fit, the table
 * scrolls sideways.
 * @param framePx the width of the frame in pixels, or 0 before it is known
 */
function useFittingColumns<Row>(props: DataTableProps<Row>, framePx: number) {
  const isPhone = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false });
  const { columns: all, phoneColumns } = props;
  const columns = useMemo(() => {
    const pxPerRem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    return framePx === 0 ? all : fitColumns(all, framePx / pxPerRem);
  }, [all, framePx]);
  if (isPhone && phoneColumns !== undefined)
    return { ...props, columns: phoneColumns, minWidth: '0', rowHeight: phoneRowHeight };
  return { ...props, columns, minWidth: `${sumWidths(columns)}rem` };
}

/** The content of a cell in two lines. The second line is less important. */
export function TwoLines({ children, second }: { readonly children: ReactNode; readonly second: ReactNode }) {
  return (
    <span className={classes.lines}>
      <span className={classes.line}>{children}</span>
      <span className={classes.second}>{second}</span>
    </span>
  );
}

function useEndReached<Row>({ rows, total, onEndReached, isLoadingMore }: DataTableProps<Row>, last: number) {
  const hasMore = total === undefined ? true : rows.length < total;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 1 && hasMore && isLoadingMore !== true) onEndReached?.();
  }, [last, rows.length, hasMore, isLoadingMore, onEndReached]);
}

interface TableHeadProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'sorting' | 'onSort'> {
  readonly template: string;
  readonly height: number;
}

function TableHead<Row>({ columns, sorting, onSort, template, height }: TableHeadProps<Row>) {
  return (
    <div role="rowgroup" className={classes.head}>
      <div
        role="row"
        aria-rowindex={1}
        className={classes.headRow}
        style={{ gridTemplateColumns: template, height }}
      >
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} sorting={sorting} onSort={onSort} />
        ))}
      </div>
    </div>
  );
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
  readonly onSort: ((sorting: Sorting) => void) | undefined;
}

function HeadCell<Row>({ column, sorting, onSort }: HeadCellProps<Row>) {
  const { key, header, align, isSortable } = column;
  const isSorted = sorting?.key === key;
  const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none';
  if (isSortable !== true || onSort === undefined)
    return (
      <div role="columnheader" className={classes.cell} data-align={align}>
        {header}
      </div>
    );
  const Icon = isSorted ? (sorting.isDescending ? ArrowDown : ArrowUp) : ChevronsUpDown;
  return (
    <div role="columnheader" aria-sort={order} className={classes.cell} data-align={align}>
      <UnstyledButton
        className={classes.sort}
        onClick={() => onSort({ key, isDescending: isSorted ? !sorting.isDescending : true })}
      >
        {header}
        <Icon size={13} aria-hidden />
      </UnstyledButton>
    </div>
  );
}

interface TableRowProps<Row> extends Pick<DataTableProps<Row>, 'columns'> {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  /** Height and position of the table row in pixels. */
  readonly size: number;
  readonly start: number;
  readonly template: string;
}

function renderRow<Row>({ row, id, index, size, start, template, columns }: TableRowProps<Row>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-key={id}
      className={classes.row}
      style={{ gridTemplateColumns: template, height: size, transform: `translateY(${start}px)` }}
    >
      {columns.map(({ key, cell, align }) => (
        <div key={key} role="cell" className={classes.cell} data-align={align}>
          {cell(row)}
        </div>
      ))}
    </div>
  );
}

/**
 * While the table scrolls, only new rows are rendered, because rendering all rows would take longer than a
 * frame.
 */
const TableRow = memo(renderRow) as typeof renderRow;

interface RowsInViewProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'rows' | 'rowKey'> {
  readonly items: readonly VirtualItem[];
  readonly template: string;
}

/** The table rows that are currently rendered on the page. */
function RowsInView<Row>({ items, rows, rowKey, columns, template }: RowsInViewProps<Row>) {
  return items.map(({ key, index, size, start }) => {
    const row = rows[index];
    return row === undefined ? null : (
      <TableRow key={key} row={row} id={rowKey(row)} {...{ index, size, start, template, columns }} />
    );
  });
}
