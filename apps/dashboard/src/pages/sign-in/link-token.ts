import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';

/**
 * The token from the fragment of a link in an email. Null if the address contains no token. The
 * fragment is removed from the address bar, so that the browser's history does not contain the token.
 */
export function useLinkToken(): string | null {
  const { hash } = useLocation();
  const [token] = useState(() => new URLSearchParams(hash.slice(1)).get('token'));
  useEffect(() => {
    if (window.location.hash !== '')
      window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token;
}
