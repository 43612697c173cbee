import type { ReactNode } from 'react';
import { useAccount } from '../../api/account.ts';
import { ErrorState, LoadingState } from '../../components/states.tsx';

/** A person's first visit makes their account; until it is there, no page has anything to ask for. */
export function AccountGate({ children }: { readonly children: ReactNode }) {
  const account = useAccount();
  if (account.isPending) return <LoadingState />;
  if (account.isError && account.data === undefined)
    return <ErrorState error={account.error} onRetry={() => void account.refetch()} />;
  return children;
}
