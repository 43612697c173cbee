import type { CSSProperties, ReactNode, Ref } from 'react';
import classes from './panel.module.css';

interface PanelProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A card with a second-level heading. */
export function Panel({ title, description, actions, children }: PanelProps) {
  return (
    <section className={classes.panel}>
      {title === undefined && actions === undefined ? null : (
        <header className={classes.header}>
          <div className={classes.words}>
            <h2 className={classes.title}>{title}</h2>
            {description === undefined ? null : <p className={classes.description}>{description}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** Arranges figures in rows, with as many figures per row as fit. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.figures}>{children}</dl>;
}

interface FigureProps {
  readonly label: string;
  /** The figure with its unit. */
  readonly children: ReactNode;
  /** An explanation of the figure, or the numbers that add up to it. */
  readonly hint?: ReactNode;
}

export function Figure({ label, children, hint }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>{children}</dd>
      {hint === undefined ? null : <dd className={classes.hint}>{hint}</dd>}
    </div>
  );
}

export function Stacked({ children }: { readonly children: ReactNode }) {
  return <div className={classes.stacked}>{children}</div>;
}

/** Arranges panels next to each other if the page is wide enough. */
export function Columns({ children }: { readonly children: ReactNode }) {
  return <div className={classes.columns}>{children}</div>;
}

/** A table that shows figures. The caller supplies the head and the body. The first column contains the row names. */
export function FiguresTable({ children }: { readonly children: ReactNode }) {
  return <table className={classes.table}>{children}</table>;
}

interface ScrollRegionProps {
  readonly label: string;
  readonly children: ReactNode;
  /** A reference to the frame element, for components that scroll or focus it. */
  readonly ref?: Ref<HTMLDivElement>;
  /** CSS class that replaces the default style. With the default style, the frame scrolls only sideways. */
  readonly className?: string | undefined;
  readonly style?: CSSProperties;
}

/** A frame that scrolls its content, also by keyboard (WCAG 2.1.1). */
export function ScrollRegion({ label, children, className = classes.scroll, ...rest }: ScrollRegionProps) {
  return (
    <div
      {...rest}
      className={className}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users can scroll only a focused region (WCAG 2.1.1)
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {children}
    </div>
  );
}
