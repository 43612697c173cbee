import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** A grid track: `minmax(10rem, 2fr)`. */
  readonly width: string;
  /** `end` for numbers. */
  readonly align?: 'end';
  /** With it the column sorts, where `onSort` is given. */
  readonly isSortable?: boolean;
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

export interface DataTableProps<Row> {
  /** What the rows are, for those who hear it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** All rows that there are, when not all are loaded. */
  readonly total?: number;
  /** Called when the last loaded rows come into view. */
  readonly onEndReached?: () => void;
  readonly isLoadingMore?: boolean;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** Below it the table scrolls sideways. */
  readonly minWidth?: string;
  /** The rows' height in pixels: one line of text is 44. */
  readonly rowHeight?: number;
  /** CSS height of the scrolled part at most. */
  readonly maxHeight?: string;
}
