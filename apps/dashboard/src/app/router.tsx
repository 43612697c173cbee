import type { RouteObject } from 'react-router';
import { Link, Navigate, createBrowserRouter, useRouteError } from 'react-router';
import { Button } from '@mantine/core';
import { useHasRequests } from '../api/requests.ts';
import { ErrorState, LoadingState } from '../components/states.tsx';
import { DeletedPage } from '../pages/sign-in/deleted-page.tsx';
import { SignInCallbackPage, SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { pages } from './pages.ts';
import { Shell } from './shell.tsx';
import { PageHeader } from '../components/page-header.tsx';

const pageRoutes: RouteObject[] = pages.map(({ path, load }) => ({
  path,
  lazy: async () => ({ Component: await load() }),
  ErrorBoundary: RouteError,
  HydrateFallback: LoadingState,
}));

/** The pages for forgotten passwords and verification links. A person can open these pages without a sign-in. */
const mailPages: RouteObject[] = [
  {
    path: 'forgot-password',
    lazy: async () => ({
      Component: (await import('../pages/sign-in/forgot-password-page.tsx')).ForgotPasswordPage,
    }),
  },
  {
    path: 'reset-password',
    lazy: async () => ({
      Component: (await import('../pages/sign-in/reset-password-page.tsx')).ResetPasswordPage,
    }),
  },
  {
    path: 'verify-email',
    lazy: async () => ({
      Component: (await import('../pages/sign-in/verify-email-page.tsx')).VerifyEmailPage,
    }),
  },
].map((route) => ({ ...route, ErrorBoundary: RouteError, HydrateFallback: LoadingState }));

/** All pages inside the shell require a signed-in person. The shell ensures that the person is signed in. */
export const router = createBrowserRouter(
  [
    { path: 'sign-in', Component: SignInPage },
    { path: 'sign-up', Component: SignInPage },
    ...['login', 'log-in', 'signin'].map((path) => ({ path, element: <Navigate to="/sign-in" replace /> })),
    { path: 'sign-in/callback', Component: SignInCallbackPage },
    ...mailPages,
    { path: 'deleted/:deletionId', Component: DeletedPage },
    {
      Component: Shell,
      ErrorBoundary: RouteError,
      children: [{ index: true, Component: HomePage }, ...pageRoutes, { path: '*', Component: NotFoundPage }],
    },
  ],
  { basename: '/dashboard' },
);

/** Opens the page with the work: the Overview for an account with requests, and Welcome for a new account. */
function HomePage() {
  const { data, isPending } = useHasRequests();
  if (isPending) return <LoadingState />;
  return <Navigate to={data === true ? '/overview' : '/welcome'} replace />;
}

/** The message appears when a page fails to load or render, for example after a new version has removed its files. */
function RouteError() {
  const error = useRouteError();
  return <ErrorState error={error} onRetry={() => window.location.reload()} />;
}

function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" description="Check the address. The page may have moved." />
      <Button component={Link} to="/welcome">
        Go to Welcome
      </Button>
    </>
  );
}
