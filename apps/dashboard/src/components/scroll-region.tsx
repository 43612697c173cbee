import type { ReactNode } from 'react';
import classes from './scroll-region.module.css';

/** What is wider than a narrow screen scrolls by itself, by keyboard too (WCAG 2.1.1). */
export function ScrollRegion({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div
      className={classes.scroll}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled with the arrow keys
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {children}
    </div>
  );
}
