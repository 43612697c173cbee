import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { ErrorState, LoadingState } from '../components/states.tsx';
import { comeBackFromIssuer } from './session-actions.ts';

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
