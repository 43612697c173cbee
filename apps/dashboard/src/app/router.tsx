import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { LoadingState } from '../components/states.tsx';
import { DeletedPage } from '../session/deleted-page.tsx';
import { SignInCallbackPage } from '../session/sign-in-callback-page.tsx';
import { SignInPage } from '../session/sign-in-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { pages } from './pages.ts';
import { RouteError } from './route-error.tsx';
import { Shell } from './shell/shell.tsx';

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
