import type { CSSProperties, ReactNode, Ref } from 'react';
import classes from './scroll-region.module.css';

interface ScrollRegionProps {
  readonly label: string;
  readonly children: ReactNode;
  /** For one that is told to scroll, or to take the focus. */
  readonly ref?: Ref<HTMLDivElement>;
  /** In place of scrolling sideways alone. */
  readonly className?: string | undefined;
  readonly style?: CSSProperties;
}

/** What is larger than its place scrolls by itself, by keyboard too (WCAG 2.1.1). */
export function ScrollRegion({ label, children, className = classes.scroll, ...rest }: ScrollRegionProps) {
  return (
    <div
      {...rest}
      className={className}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled with the arrow keys
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {children}
    </div>
  );
}
