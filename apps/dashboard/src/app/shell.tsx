import { Alert, Burger, Button, Drawer } from '@mantine/core';
import { MailWarning } from 'lucide-react';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Suspense } from 'react';
import { Navigate, Outlet, useLocation, useNavigation } from 'react-router';
import { useAccount, useResendVerification } from '../api/account.ts';
import { ErrorState, LoadingState } from '../components/states.tsx';
import { Foreign } from '../components/values.tsx';
import { useSignInSettings } from '../login-session/sign-in-settings.ts';
import classes from './shell.module.css';
import { useLoginSession } from '../login-session/current-login-session.ts';
import { Brand } from '../components/brand.tsx';
import { CommandPalette } from './command-palette.tsx';
import { Navigation } from './navigation.tsx';

/** Asks the person to verify an unverified email address, if the gateway can send emails. */
function VerifyEmailBanner() {
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

/**
 * The frame around every page. Without a login session, the frame opens the sign-in page. After the sign-in,
 * the browser opens the page that was requested.
 */
export function Shell() {
  const session = useLoginSession();
  const { pathname, search } = useLocation();
  if (session.status === 'restoring') return <LoadingState isWholePage />;
  if (session.status === 'signed-out')
    return <Navigate to="/sign-in" replace state={{ next: `${pathname}${search}` }} />;
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <TopBar />
      <CommandPalette />
      <aside className={classes.side}>
        <Brand />
        <Navigation />
      </aside>
      <Content />
    </div>
  );
}

function Content() {
  const isLoading = useNavigation().state === 'loading';
  return (
    <main id="content" tabIndex={-1} className={classes.content} aria-busy={isLoading}>
      <div className={classes.progress} data-active={isLoading || undefined} aria-hidden />
      <AccountGate>
        <VerifyEmailBanner />
        <Suspense fallback={<LoadingState />}>
          <Outlet />
        </Suspense>
      </AccountGate>
    </main>
  );
}

/** The top bar on narrow screens. A button in the top bar opens the navigation. */
function TopBar() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <header className={classes.top}>
      <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Menu" aria-expanded={isOpen} />
      <Brand />
      <Drawer
        opened={isOpen}
        onClose={close}
        size="min(20rem, 85vw)"
        title="Agent gateway"
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <Navigation onNavigate={close} />
      </Drawer>
    </header>
  );
}

/**
 * Waits until the gateway has created the account on a person's first visit. The pages of the dashboard need
 * the account for their requests.
 */
function AccountGate({ children }: { readonly children: ReactNode }) {
  const account = useAccount();
  if (account.isPending) return <LoadingState />;
  if (account.isError && account.data === undefined)
    return <ErrorState error={account.error} onRetry={() => void account.refetch()} />;
  return children;
}
