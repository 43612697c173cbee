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
        description="You pay for saved tokens, counted in the billing unit: 100 tokens per pruned tool, plus compression, less recovery rounds."
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
    <Alert variant="light" icon={<Info size={20} aria-hidden />} title="Self-hosted: no charges">
      This gateway has no payments configured. It still counts savings as they would be billed.
    </Alert>
  );
}

function Period({ billing: { period, estimate, mode } }: { readonly billing: Billing }) {
  return (
    <section aria-label="Current period">
      <Figures>
        <Figure label="Billed as saved" hint={`${formatPeriod(period)}, so far`}>
          <Tokens value={period.net_tokens_saved} />
        </Figure>
        <Figure
          label="Pruning tools"
          hint={formatNumberOf(period.requests, 'request with savings', 'requests with savings')}
        >
          <Tokens value={period.estimated_tokens_saved} />
        </Figure>
        <Figure label="Compression" hint="tool schemas and context">
          <Tokens value={period.compression_tokens_saved} />
        </Figure>
        <Figure label="Recovery rounds" hint="deducted: provider calls that the client does not see">
          <Tokens value={period.recovery_tokens_deducted} />
        </Figure>
        <Figure
          label={mode === 'self_hosted' ? 'Amount due' : 'Estimate for the period'}
          hint={mode === 'self_hosted' ? 'self-hosted' : 'without further savings'}
        >
          <Dollars value={estimate.total_usd} />
        </Figure>
      </Figures>
    </section>
  );
}

/**
 * Handles the return from a checkout. The component applies the checkout id in the address, and then clears
 * the address.
 */
function CheckoutReturn() {
  const [params, setParams] = useSearchParams();
  const checkoutId = params.get('checkout');
  const { mutate, isPending, isError, error } = useSyncCheckout();
  const applyCheckout = useCallback(() => {
    if (checkoutId === null) return;
    mutate(checkoutId, {
      onSuccess: () => {
        notifyDone('The subscription is active.');
        setParams({}, { replace: true });
      },
    });
  }, [checkoutId, mutate, setParams]);
  useEffect(applyCheckout, [applyCheckout]);
  if (isPending) return <LoadingState lines={1} />;
  return isError && checkoutId !== null ? <ErrorState error={error} onRetry={applyCheckout} /> : null;
}
