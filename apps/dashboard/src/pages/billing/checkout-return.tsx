import { useCallback, useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { useSyncCheckout } from '../../api/billing.ts';
import { notifyDone } from '../../components/notify.ts';
import { ErrorState, LoadingState } from '../../components/states.tsx';

/** Somebody comes back from paying, with the id of it in the address: it is taken over, and the address cleared. */
export function CheckoutReturn() {
  const [params, setParams] = useSearchParams();
  const checkoutId = params.get('checkout');
  const { mutate, isPending, isError, error } = useSyncCheckout();
  const takeOver = useCallback(() => {
    if (checkoutId === null) return;
    mutate(checkoutId, {
      onSuccess: () => {
        notifyDone('The subscription is active.');
        setParams({}, { replace: true });
      },
    });
  }, [checkoutId, mutate, setParams]);
  useEffect(takeOver, [takeOver]);
  if (isPending) return <LoadingState lines={1} />;
  return isError && checkoutId !== null ? <ErrorState error={error} onRetry={takeOver} /> : null;
}
