import { Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import classes from './page-header.module.css';

interface PageHeaderProps {
  readonly title: string;
  /** A sentence that describes the purpose of the page. */
  readonly description?: ReactNode;
  /** Buttons on the right side of the header. */
  readonly actions?: ReactNode;
}

/**
 * The heading of the page. The heading gets the focus after a navigation, so that a screen reader announces the
 * new page. After a change within the page, such as a filter change, the heading gets the focus only if the
 * focused element was removed. Callers must pass a new React `key` when the page shows a different item.
 */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<string>(undefined);
  const { key, pathname } = useLocation();
  useEffect(() => {
    const isWithin = shown.current === pathname && document.activeElement !== document.body;
    shown.current = pathname;
    // The location key `default` marks the first page of the visit.
    // The heading of the first page does not get the focus, because the browser already starts at the top of the page.
    if (key !== 'default' && !isWithin) heading.current?.focus({ preventScroll: true });
  }, [key, pathname]);
  return (
    <div className={classes.header}>
      <title>{`${title} · Agent gateway`}</title>
      <div className={classes.words}>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {description === undefined ? null : <p className={classes.description}>{description}</p>}
      </div>
      {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
