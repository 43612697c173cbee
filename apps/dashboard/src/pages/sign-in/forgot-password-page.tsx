import { Anchor, Button, TextInput } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { Link } from 'react-router';
import { useForgotPassword } from '../../api/account.ts';
import { ErrorState, LoadingState } from '../../components/states.tsx';
import { Foreign } from '../../components/values.tsx';
import { useOperatorContact, useSignInSettings } from '../../login-session/sign-in-settings.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import classes from './sign-in.module.css';

/** Requests an email with a link, or shows the operator's contact if the gateway cannot send emails. */
export function ForgotPasswordPage() {
  const settings = useSignInSettings();
  return (
    <SignInFrame title="Forgot your password?">
      {settings.isPending ? (
        <LoadingState />
      ) : settings.data === undefined ? (
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      ) : settings.data.kind === 'oidc' ? (
        <p className={classes.text}>
          This gateway has no passwords. <strong>{new URL(settings.data.issuer).host}</strong> manages them.
        </p>
      ) : settings.data.sends_mail ? (
        <RequestForm />
      ) : (
        <AskOperator />
      )}
      <p className={classes.other}>
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign-in
        </Anchor>
      </p>
    </SignInFrame>
  );
}

function RequestForm() {
  const [email, setEmail] = useState('');
  const request = useForgotPassword();
  if (request.isSuccess)
    return (
      <p className={classes.text} role="status">
        If somebody has signed up with <Foreign>{email}</Foreign>, a mail with a link is on its way. The link
        works once, for one hour. Check your spam folder if it does not arrive within a few minutes.
      </p>
    );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    request.mutate({ email });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <p className={classes.text}>
        Enter your e-mail address. We will send you a link to choose a new password.
      </p>
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {request.isError ? <ErrorState error={request.error} /> : null}
      <Button type="submit" loading={request.isPending} fullWidth>
        Send link
      </Button>
    </form>
  );
}

function AskOperator() {
  const contact = useOperatorContact();
  return (
    <p className={classes.text}>
      This gateway cannot send e-mail. Ask its operator for a link to choose a new password
      {contact === null ? (
        '.'
      ) : (
        <>
          : <Foreign>{contact}</Foreign>
        </>
      )}
    </p>
  );
}
