import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { Link, useLocation } from 'react-router';
import { ErrorState } from '../components/states.tsx';
import type { Credentials } from './embedded-identity.ts';
import { logIn, signUp } from './session-actions.ts';
import classes from './sign-in.module.css';

/** E-mail and password. `isNew`: for somebody who has none yet. */
export function PasswordForm({ isNew }: { readonly isNew: boolean }) {
  const [credentials, setCredentials] = useState<Credentials>({ email: '', password: '' });
  const send = useMutation({ mutationFn: isNew ? signUp : logIn });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    send.mutate(credentials);
  };
  return (
    <>
      <h1 className={classes.title}>{isNew ? 'Create an account' : 'Sign in'}</h1>
      <form className={classes.form} onSubmit={submit}>
        <Fields isNew={isNew} credentials={credentials} onChange={setCredentials} />
        {send.isError ? <ErrorState error={send.error} /> : null}
        <Button type="submit" loading={send.isPending} fullWidth>
          {isNew ? 'Sign up' : 'Sign in'}
        </Button>
      </form>
      <OtherWay isNew={isNew} />
    </>
  );
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
        description={isNew ? 'At least twelve characters; a long sentence is fine.' : undefined}
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        value={credentials.password}
        onChange={(event) => onChange({ ...credentials, password: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
    </>
  );
}

function OtherWay({ isNew }: { readonly isNew: boolean }) {
  const { state } = useLocation() as { state: unknown };
  return (
    <p className={classes.other}>
      {isNew ? 'You have an account? ' : 'New here? '}
      <Anchor component={Link} to={isNew ? '/sign-in' : '/sign-up'} state={state} underline="always">
        {isNew ? 'Sign in' : 'Create an account'}
      </Anchor>
    </p>
  );
}
