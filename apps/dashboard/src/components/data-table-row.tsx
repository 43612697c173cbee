import type { VirtualItem } from '@tanstack/react-virtual';
import { memo } from 'react';
import classes from './data-table.module.css';
import type { DataTableProps } from './table-props.ts';

interface TableRowProps<Row> extends Pick<DataTableProps<Row>, 'columns'> {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  /** Height and place in pixels. */
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

/** Rows that stay in sight are not rendered again while others come: a frame has time for the new ones alone. */
const TableRow = memo(renderRow) as typeof renderRow;

interface RowsInViewProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'rows' | 'rowKey'> {
  readonly items: readonly VirtualItem[];
  readonly template: string;
}

/** The rows that a virtualizer wants in the page. */
export function RowsInView<Row>({ items, rows, rowKey, columns, template }: RowsInViewProps<Row>) {
  return items.map(({ key, index, size, start }) => {
    const row = rows[index];
    return row === undefined ? null : (
      <TableRow key={key} row={row} id={rowKey(row)} {...{ index, size, start, template, columns }} />
    );
  });
}
