import { Alert, Anchor, Button } from '@mantine/core';
import { Link } from 'react-router';
import { useVerifyEmail } from '../../api/account.ts';
import { ErrorState } from '../../components/states.tsx';
import { Foreign } from '../../components/values.tsx';
import { SignInFrame, useLinkToken } from './sign-in-frame.tsx';
import classes from './sign-in.module.css';

/**
 * The page `/verify-email#token=…`, which verifies an email address with the token of a link. The page waits
 * for a click, because email scanners also open links.
 */
export function VerifyEmailPage() {
  const token = useLinkToken();
  const verify = useVerifyEmail();
  return (
    <SignInFrame title="Verify your e-mail address">
      {token === null ? (
        <Alert color="yellow" variant="light" title="The link is incomplete" role="alert">
          Open the complete link from the mail, or sign in and send the mail again.
        </Alert>
      ) : verify.data === undefined ? (
        <>
          {verify.isError ? <ErrorState error={verify.error} /> : null}
          <Button fullWidth loading={verify.isPending} onClick={() => verify.mutate({ token })}>
            Verify address
          </Button>
        </>
      ) : (
        <p className={classes.text} role="status">
          <Foreign>{verify.data.email}</Foreign> is verified.
        </p>
      )}
      <p className={classes.other}>
        <Anchor component={Link} to="/welcome" underline="always">
          Go to the dashboard
        </Anchor>
      </p>
    </SignInFrame>
  );
}
