import { Alert, Button, Skeleton } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import { CircleAlert, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { toApiError } from '../api/api-error.ts';
import { Foreign } from './values.tsx';
import classes from './states.module.css';

/**
 * Grey lines in place of content that is still loading. Screen readers announce that the content is loading.
 */
export function LoadingState({
  lines = 4,
  isWholePage,
}: {
  readonly lines?: number;
  readonly isWholePage?: boolean;
}) {
  return (
    <div className={isWholePage === true ? classes.whole : classes.loading} role="status">
      <span className="visually-hidden">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={line === 0 ? 28 : 18} width={line === 0 ? '40%' : '100%'} radius="sm" />
      ))}
    </div>
  );
}

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** The gateway's error message, the error code and a retry button. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { message, code, requestId, docsPath } = toApiError(error);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<CircleAlert size={20} aria-hidden />}
      title="Something went wrong"
      role="alert"
    >
      <p className={classes.message}>
        <Foreign>{message}</Foreign>
      </p>
      <p className={classes.detail}>
        <code>
          <Foreign>{code}</Foreign>
        </code>
        {requestId === null ? null : (
          <>
            {' '}
            · request <code>{requestId}</code>
          </>
        )}
        {docsPath === null ? null : (
          <>
            {' '}
            · <a href={docsPath}>Cause and remedy</a>
          </>
        )}
      </p>
      {onRetry === undefined ? null : (
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** Instructions for adding the first item. */
  readonly children: ReactNode;
  readonly icon?: LucideIcon;
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, icon: Icon = Inbox, action }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <Icon size={32} strokeWidth={1.5} aria-hidden />
      <p className={classes.title}>{title}</p>
      <div className={classes.words}>{children}</div>
      {action}
    </div>
  );
}

interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
  readonly isEmpty?: (data: Data) => boolean;
  readonly empty?: ReactNode;
  /** Height of the loading skeleton in lines, so that the layout does not jump when the content arrives. */
  readonly lines?: number;
}

/**
 * Shows the content of a query, or its loading, error or empty state. Content that is already loaded stays
 * visible during a refetch.
 */
export function QueryView<Data>({ query, children, isEmpty, empty, lines }: QueryViewProps<Data>) {
  if (query.data === undefined) {
    if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
    return <LoadingState lines={lines} />;
  }
  if (empty !== undefined && isEmpty?.(query.data) === true) return empty;
  return children(query.data);
}
