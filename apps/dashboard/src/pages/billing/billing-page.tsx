import { Alert } from '@mantine/core';
import { Info } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import { useSearchParams } from 'react-router';
import type { Billing } from '../../api/billing.ts';
import { useBilling, useSyncCheckout } from '../../api/billing.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Figure, Figures, Stacked } from '../../components/panel.tsx';
import { ErrorState, LoadingState, QueryView } from '../../components/states.tsx';
import { Dollars, Tokens } from '../../components/values.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { BillingHistory, formatPeriod } from './billing-history.tsx';
import { CurrentPlan, PlanList } from './plans.tsx';
import { notifyDone } from '../../lib/notices.ts';

export function BillingPage() {
  const billing = useBilling();
  return (
    <>
      <PageHeader
        title="Billing"
        description="What is billed is what was saved: tokens of tools that were left out, and of what was compressed."
      />
      <CheckoutReturn />
      <QueryView query={billing} lines={8}>
        {(data) => (
          <Stacked>
            {data.mode === 'self_hosted' ? <SelfHosted /> : <CurrentPlan billing={data} />}
            <Period billing={data} />
            {data.mode === 'stripe' ? <PlanList billing={data} /> : null}
            <BillingHistory history={data.history} />
          </Stacked>
        )}
      </QueryView>
    </>
  );
}

function SelfHosted() {
  return (
    <Alert variant="light" icon={<Info size={20} aria-hidden />} title="Self-hosted: nobody is charged">
      This gateway has no payments configured. Savings are counted all the same, as they would be billed.
    </Alert>
  );
}

function Period({ billing: { period, estimate, mode } }: { readonly billing: Billing }) {
  return (
    <section aria-label="Current period">
      <Figures>
        <Figure label="Saved this period" hint={`${formatPeriod(period)}, so far`}>
          <Tokens value={period.total_tokens_saved} />
        </Figure>
        <Figure
          label="By leaving tools out"
          hint={formatNumberOf(period.requests, 'request that saved', 'requests that saved')}
        >
          <Tokens value={period.estimated_tokens_saved} />
        </Figure>
        <Figure label="By compression" hint="schemas and context">
          <Tokens value={period.compression_tokens_saved} />
        </Figure>
        <Figure
          label={mode === 'self_hosted' ? 'To pay' : 'Estimate for the period'}
          hint={mode === 'self_hosted' ? 'self-hosted' : 'if nothing more is saved in it'}
        >
          <Dollars value={estimate.total_usd} />
        </Figure>
      </Figures>
    </section>
  );
}

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
