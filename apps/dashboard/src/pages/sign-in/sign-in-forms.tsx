import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { ErrorState } from '../../components/states.tsx';
import type { Credentials } from '../../login-session/embedded-identity.ts';
import { goToIssuer, logIn, signUp } from '../../login-session/current-login-session.ts';
import classes from './sign-in.module.css';
import { isMarked } from '../../login-session/login-session.ts';
import type { SignInSettings } from '../../login-session/sign-in-settings.ts';

/** Sign-in by email and password. If `isNew` is true, the form creates an account. */
export function PasswordForm({ isNew }: { readonly isNew: boolean }) {
  const { state } = useLocation() as { state: unknown };
  const resetEmail = isNew ? null : readResetEmail(state);
  const [credentials, setCredentials] = useState<Credentials>({ email: resetEmail ?? '', password: '' });
  const send = useMutation({ mutationFn: isNew ? signUp : logIn });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    send.mutate(credentials);
  };
  return (
    <>
      <h1 className={classes.title}>{isNew ? 'Create an account' : 'Sign in'}</h1>
      {resetEmail === null ? null : (
        <p className={classes.text} role="status">
          Your password is changed. Sign in with the new one.
        </p>
      )}
      <form className={classes.form} onSubmit={submit}>
        <Fields isNew={isNew} credentials={credentials} onChange={setCredentials} />
        {send.isError ? <ErrorState error={send.error} /> : null}
        <Button type="submit" loading={send.isPending} fullWidth>
          {isNew ? 'Sign up' : 'Sign in'}
        </Button>
      </form>
      {isNew ? null : (
        <p className={classes.other}>
          <Anchor component={Link} to="/forgot-password" underline="always">
            Forgot your password?
          </Anchor>
        </p>
      )}
      <OtherWay isNew={isNew} />
    </>
  );
}

/** The email address of the account with a new password. Null if the page was not opened after a password reset. */
function readResetEmail(state: unknown): string | null {
  const email = (state as { resetEmail?: unknown } | null)?.resetEmail;
  return typeof email === 'string' ? email : null;
}

interface FieldsProps {
  readonly isNew: boolean;
  readonly credentials: Credentials;
  readonly onChange: (credentials: Credentials) => void;
}

function Fields({ isNew, credentials, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        required
        value={credentials.email}
        onChange={(event) => onChange({ ...credentials, email: event.currentTarget.value })}
      />
      <PasswordInput
        label="Password"
        description={isNew ? 'At least 12 characters. A long sentence works well.' : undefined}
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        value={credentials.password}
        onChange={(event) => onChange({ ...credentials, password: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
      />
    </>
  );
}

function OtherWay({ isNew }: { readonly isNew: boolean }) {
  const { state } = useLocation() as { state: unknown };
  return (
    <p className={classes.other}>
      {isNew ? 'Already have an account? ' : 'New here? '}
      <Anchor component={Link} to={isNew ? '/sign-in' : '/sign-up'} state={state} underline="always">
        {isNew ? 'Sign in' : 'Create an account'}
      </Anchor>
    </p>
  );
}

interface IssuerFormProps {
  readonly settings: Extract<SignInSettings, { kind: 'oidc' }>;
  readonly next: string;
}

/**
 * Opens the OpenID Connect issuer's sign-in page. If the person signed in before, the browser is redirected to
 * the issuer immediately.
 */
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
          This gateway uses <strong>{new URL(issuer).host}</strong> for sign-in, but the dashboard is not
          registered there yet. Ask the operator of the gateway to set <code>OIDC_CLIENT_ID</code>.
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
