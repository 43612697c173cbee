import type { RouteObject } from 'react-router';
import { Link, Navigate, createBrowserRouter, useRouteError } from 'react-router';
import { Button } from '@mantine/core';
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

/** Everything below the shell needs somebody signed in, which the shell sees to. */
export const router = createBrowserRouter(
  [
    { path: 'sign-in', Component: SignInPage },
    { path: 'sign-up', Component: SignInPage },
    { path: 'sign-in/callback', Component: SignInCallbackPage },
    { path: 'deleted/:deletionId', Component: DeletedPage },
    {
      Component: Shell,
      ErrorBoundary: RouteError,
      children: [
        { index: true, element: <Navigate to="/welcome" replace /> },
        ...pageRoutes,
        { path: '*', Component: NotFoundPage },
      ],
    },
  ],
  { basename: '/dashboard' },
);

/** What a page shows when it could not be drawn or loaded, a new version having taken its files away, say. */
function RouteError() {
  const error = useRouteError();
  return <ErrorState error={error} onRetry={() => window.location.reload()} />;
}

function NotFoundPage() {
  return (
    <>
      <PageHeader title="No such page" description="The address may be mistyped, or the page has moved." />
      <Button component={Link} to="/welcome">
        To the first page
      </Button>
    </>
  );
}
