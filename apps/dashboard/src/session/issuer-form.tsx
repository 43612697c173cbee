import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorState } from '../components/states.tsx';
import { goToIssuer } from './session-actions.ts';
import { isMarked } from './session-mark.ts';
import type { SignInSettings } from './settings.ts';
import classes from './sign-in.module.css';

interface IssuerFormProps {
  readonly settings: Extract<SignInSettings, { kind: 'oidc' }>;
  readonly next: string;
}

/** Leads to the OpenID Connect issuer; at once for a browser that was signed in before. */
export function IssuerForm({ settings: { issuer, client_id }, next }: IssuerFormProps) {
  const go = useMutation({ mutationFn: goToIssuer });
  const { mutate } = go;
  const goesAtOnce = client_id !== null && isMarked();
  useEffect(() => {
    if (goesAtOnce) mutate(next);
  }, [goesAtOnce, mutate, next]);
  return (
    <>
      <h1 className={classes.title}>Sign in</h1>
      {client_id === null ? (
        <p>
          People of this gateway are known to <strong>{new URL(issuer).host}</strong>, but the dashboard is
          not registered there yet. Whoever runs the gateway sets <code>OIDC_CLIENT_ID</code>.
        </p>
      ) : (
        <Button fullWidth loading={go.isPending} onClick={() => mutate(next)}>
          Continue with {new URL(issuer).host}
        </Button>
      )}
      {go.isError ? <ErrorState error={go.error} /> : null}
    </>
  );
}
