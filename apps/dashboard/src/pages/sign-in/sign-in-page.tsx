import { useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { Brand } from '../../components/brand.tsx';
import { ErrorState, LoadingState } from '../../components/states.tsx';
import { IssuerForm, PasswordForm } from './sign-in-forms.tsx';
import { useSignInSettings } from '../../login-session/sign-in-settings.ts';
import classes from './sign-in.module.css';
import { comeBackFromIssuer, useLoginSession } from '../../login-session/current-login-session.ts';

/** The path to open after the sign-in, which is the page that required the sign-in or else the first page. */
function useNext(): string {
  const state = useLocation().state as { next?: unknown } | null;
  return typeof state?.next === 'string' && state.next.startsWith('/') ? state.next : '/';
}

/**
 * The pages `/sign-in` and `/sign-up`. A person with a login session is redirected to the page that opens after
 * the sign-in.
 */
export function SignInPage() {
  const { status } = useLoginSession();
  const isNew = useLocation().pathname.endsWith('/sign-up');
  const next = useNext();
  const settings = useSignInSettings();
  useEffect(() => {
    document.title = `${isNew ? 'Sign up' : 'Sign in'} · Agent gateway`;
  }, [isNew]);
  if (status === 'signed-in') return <Navigate to={isNew ? '/welcome' : next} replace />;
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <Brand />
        {status === 'restoring' || settings.isPending ? (
          <LoadingState />
        ) : settings.data === undefined ? (
          <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
        ) : settings.data.kind === 'oidc' ? (
          <IssuerForm settings={settings.data} next={next} />
        ) : (
          <PasswordForm key={String(isNew)} isNew={isNew} />
        )}
      </main>
      <p className={classes.promise}>
        Fewer tools and less context for your agents, with figures that show the effect.
      </p>
    </div>
  );
}

/**
 * The promise that completes the sign-in. React may run the effect twice, but the issuer's response can be
 * used only once, so all runs of the effect share one promise.
 */
let completion: Promise<string> | undefined;

/** The page to which the issuer redirects the browser. */
export function SignInCallbackPage() {
  const [error, setError] = useState<unknown>(null);
  const navigate = useNavigate();
  useEffect(() => {
    completion ??= comeBackFromIssuer(new URL(window.location.href));
    completion.then((next) => void navigate(next, { replace: true })).catch(setError);
  }, [navigate]);
  if (error === null) return <LoadingState isWholePage />;
  const begin = () => {
    completion = undefined;
    void navigate('/sign-in', { replace: true });
  };
  return <ErrorState error={error} onRetry={begin} />;
}
