import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { Brand } from '../../components/brand.tsx';
import { ErrorState, LoadingState } from '../../components/states.tsx';
import { IssuerForm, PasswordForm } from './sign-in-forms.tsx';
import { readSignInSettings } from '../../login-session/sign-in-settings.ts';
import classes from './sign-in.module.css';
import { comeBackFromIssuer, useLoginSession } from '../../login-session/current-login-session.ts';

/** Where a page led here from, or the first one. */
function useNext(): string {
  const state = useLocation().state as { next?: unknown } | null;
  return typeof state?.next === 'string' && state.next.startsWith('/') ? state.next : '/welcome';
}

/** `/sign-in` and `/sign-up`. Whoever is signed in already is led on. */
export function SignInPage() {
  const { status } = useLoginSession();
  const isNew = useLocation().pathname.endsWith('/sign-up');
  const next = useNext();
  const settings = useQuery({
    queryKey: ['sign-in-settings'],
    queryFn: readSignInSettings,
    staleTime: Infinity,
  });
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
      <p className={classes.promise}>Fewer tools, less context, nothing lost, and the figures to prove it.</p>
    </div>
  );
}

/** An answer may be taken once, and React may draw twice. */
let taken: Promise<string> | undefined;

/** Where the issuer sends the browser back to. */
export function SignInCallbackPage() {
  const [error, setError] = useState<unknown>(null);
  const navigate = useNavigate();
  useEffect(() => {
    taken ??= comeBackFromIssuer(new URL(window.location.href));
    taken.then((next) => void navigate(next, { replace: true })).catch(setError);
  }, [navigate]);
  if (error === null) return <LoadingState isWholePage />;
  const begin = () => {
    taken = undefined;
    void navigate('/sign-in', { replace: true });
  };
  return <ErrorState error={error} onRetry={begin} />;
}
