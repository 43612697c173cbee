import { useEffect, type ReactNode } from 'react';
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
