import { UnstyledButton } from '@mantine/core';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import classes from './data-table.module.css';
import type { Column, DataTableProps, Sorting } from './table-props.ts';

interface TableHeadProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'sorting' | 'onSort'> {
  readonly template: string;
  readonly height: number;
}

export function TableHead<Row>({ columns, sorting, onSort, template, height }: TableHeadProps<Row>) {
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
