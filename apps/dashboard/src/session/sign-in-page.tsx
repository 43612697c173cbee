import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { Brand } from '../app/shell/brand.tsx';
import { ErrorState, LoadingState } from '../components/states.tsx';
import { IssuerForm } from './issuer-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { readSignInSettings } from './settings.ts';
import classes from './sign-in.module.css';
import { useSession } from './use-session.ts';

/** Where a page led here from, or the first one. */
function useNext(): string {
  const state = useLocation().state as { next?: unknown } | null;
  return typeof state?.next === 'string' && state.next.startsWith('/') ? state.next : '/welcome';
}

/** `/sign-in` and `/sign-up`. Whoever is signed in already is led on. */
export function SignInPage() {
  const { status } = useSession();
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
