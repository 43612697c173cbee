import { Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import classes from './page-header.module.css';

interface PageHeaderProps {
  readonly title: string;
  /** One sentence: what the page is for. */
  readonly description?: ReactNode;
  /** Buttons, at the right. */
  readonly actions?: ReactNode;
}

/**
 * The page's heading. After a navigation it takes the focus, so that a screen reader says where one is; within a page, as by its
 * filters, only where what had the focus is gone. A page about something else needs another `key`.
 */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<string>(undefined);
  const { key, pathname } = useLocation();
  useEffect(() => {
    const isWithin = shown.current === pathname && document.activeElement !== document.body;
    shown.current = pathname;
    // `default`: the page that was opened first, where the browser itself begins at the top.
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
