import { Alert, Anchor, Button, PasswordInput } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { useResetPassword } from '../../api/account.ts';
import { ErrorState } from '../../components/states.tsx';
import { logOut } from '../../login-session/current-login-session.ts';
import { SignInFrame, useLinkToken } from './sign-in-frame.tsx';
import classes from './sign-in.module.css';

/** The page `/reset-password#token=…`, which sets a new password with the token of a link. */
export function ResetPasswordPage() {
  const token = useLinkToken();
  return (
    <SignInFrame title="Choose a new password">
      {token === null ? (
        <Alert color="yellow" variant="light" title="The link is incomplete" role="alert">
          Open the complete link from the mail, or request a new one.
        </Alert>
      ) : (
        <ResetForm token={token} />
      )}
      <p className={classes.other}>
        <Anchor component={Link} to="/forgot-password" underline="always">
          Request a new link
        </Anchor>
      </p>
    </SignInFrame>
  );
}

function ResetForm({ token }: { readonly token: string }) {
  const [password, setPassword] = useState('');
  const reset = useResetPassword();
  const navigate = useNavigate();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const finish = async ({ email }: { readonly email: string }) => {
      // The page ends the login session in this browser, because the password reset has ended all login sessions of the person.
      await logOut();
      await navigate('/sign-in', { replace: true, state: { resetEmail: email } });
    };
    reset.mutate({ token, new_password: password }, { onSuccess: (done) => void finish(done) });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <p className={classes.text}>You will be signed out everywhere else.</p>
      <PasswordInput
        label="New password"
        description="At least 12 characters. A long sentence works well."
        name="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
      />
      {reset.isError ? <ErrorState error={reset.error} /> : null}
      <Button type="submit" loading={reset.isPending} fullWidth>
        Change password
      </Button>
    </form>
  );
}
