import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Brand } from '../../components/brand.tsx';
import classes from './sign-in.module.css';

interface SignInFrameProps {
  /** The first-level heading, which is also the title of the browser tab. */
  readonly title: string;
  readonly children: ReactNode;
}

/** The frame around the pages for forgotten passwords and verification links. */
export function SignInFrame({ title, children }: SignInFrameProps) {
  useEffect(() => {
    document.title = `${title} · Agent gateway`;
  }, [title]);
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <Brand />
        <h1 className={classes.title}>{title}</h1>
        {children}
      </main>
    </div>
  );
}

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
