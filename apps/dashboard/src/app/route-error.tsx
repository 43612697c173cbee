import { useRouteError } from 'react-router';
import { ErrorState } from '../components/states.tsx';

/** What a page shows when it could not be drawn or loaded, a new version having taken its files away, say. */
export function RouteError() {
  const error = useRouteError();
  return <ErrorState error={error} onRetry={() => window.location.reload()} />;
}
