import type { ReactNode } from 'react';
import classes from './figures-table.module.css';

/** A small table of figures, whose first column names what each row is of. Its head and body are the caller's. */
export function FiguresTable({ children }: { readonly children: ReactNode }) {
  return <table className={classes.table}>{children}</table>;
}
