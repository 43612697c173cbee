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

/** The page's heading. After a navigation it takes the focus, so that a screen reader says where one is. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  useEffect(() => {
    // `default`: the page that was opened first, where the browser itself begins at the top.
    if (key !== 'default') heading.current?.focus({ preventScroll: true });
  }, [key]);
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
