import { Alert, Button } from '@mantine/core';
import { MailWarning } from 'lucide-react';
import { useAccount, useResendVerification } from '../api/account.ts';
import { ErrorState } from '../components/states.tsx';
import { Foreign } from '../components/values.tsx';
import { useSignInSettings } from '../login-session/sign-in-settings.ts';
import classes from './shell.module.css';

/** Asks a person with an unverified e-mail address to verify it, if the gateway can send mail. */
export function VerifyEmailBanner() {
  const person = useAccount().data?.person;
  const settings = useSignInSettings().data;
  const resend = useResendVerification();
  if (person === undefined || person.email_verified) return null;
  if (settings?.kind !== 'embedded' || !settings.sends_mail) return null;
  return (
    <Alert
      className={classes.banner ?? ''}
      color="yellow"
      variant="light"
      icon={<MailWarning size={20} aria-hidden />}
      title="Verify your e-mail address"
    >
      <p className={classes.bannerText}>
        We sent a link to <Foreign>{person.email}</Foreign>. Open it to verify the address.
      </p>
      {resend.isSuccess ? (
        <p className={classes.bannerText} role="status">
          Another mail is on its way. It may take a few minutes. Use the newest link.
        </p>
      ) : (
        <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          Send the mail again
        </Button>
      )}
      {resend.isError ? <ErrorState error={resend.error} /> : null}
    </Alert>
  );
}
