import type { ReactNode } from 'react';

/** A text that somebody else wrote: its direction marks end where it ends. */
export function Foreign({ children }: { readonly children: ReactNode }) {
  return <bdi>{children}</bdi>;
}
