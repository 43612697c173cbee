import { Alert } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './secret-once.module.css';

interface SecretOnceProps {
  readonly secret: string;
  /** What to do with it. */
  readonly children?: ReactNode;
}

/** A secret that nobody will show again: it can be copied now, or has to be replaced. */
export function SecretOnce({ secret, children }: SecretOnceProps) {
  return (
    <Alert
      color="green"
      variant="light"
      icon={<KeyRound size={20} aria-hidden />}
      title="Copy the key now: it is not shown again"
    >
      {children === undefined ? null : <div className={classes.words}>{children}</div>}
      <div className={classes.row}>
        <code className={classes.secret} data-testid="secret">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy the key" variant="filled" />
      </div>
    </Alert>
  );
}
