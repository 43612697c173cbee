import { Alert, Badge, Button } from '@mantine/core';
import { Info } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import { useSearchParams } from 'react-router';
import type { Billing, Plan } from '../../api/billing.ts';
import { useBilling, useCheckout, usePortal, useSyncCheckout } from '../../api/billing.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Figure, Figures, Panel, Stacked } from '../../components/panel.tsx';
import { ErrorState, LoadingState, QueryView } from '../../components/states.tsx';
import { Dollars, Foreign, Time, Tokens } from '../../components/values.tsx';
import { formatNumberOf, formatTokens, formatUsd } from '../../lib/format.ts';
import { BillingHistory, formatPeriod } from './billing-history.tsx';
import { notifyDone } from '../../lib/notices.ts';
import classes from './billing.module.css';

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
 * Handles the return from the Stripe checkout page. The component sends the checkout id from the address to
 * the gateway, and then removes it from the address.
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

function CurrentPlan({ billing: { plan, subscription } }: { readonly billing: Billing }) {
  const portal = usePortal();
  return (
    <Panel
      title={
        <>
          Your plan: <Foreign>{plan.name}</Foreign>
        </>
      }
      actions={
        subscription === null ? null : (
          <Button variant="default" loading={portal.isPending} onClick={() => portal.mutate()}>
            Change or cancel
          </Button>
        )
      }
    >
      {subscription === null ? (
        <p>No subscription yet. Choose a plan below.</p>
      ) : (
        <p>
          <Badge variant="light" color={subscription.status === 'active' ? 'green' : 'yellow'}>
            {subscription.status}
          </Badge>{' '}
          <Course subscription={subscription} />
        </p>
      )}
      {portal.isError ? <ErrorState error={portal.error} /> : null}
    </Panel>
  );
}

/** Subscription statuses for which Stripe requests no payments. */
const endedStatuses = ['canceled', 'incomplete_expired'];

function Course({ subscription }: { readonly subscription: NonNullable<Billing['subscription']> }) {
  const { status, cancel_at_period_end, current_period_end } = subscription;
  if (endedStatuses.includes(status)) return 'The subscription has ended. Choose a plan below.';
  return (
    <>
      {cancel_at_period_end ? 'Ends on ' : 'Renews on '}
      <Time value={current_period_end} />.
    </>
  );
}

/** The available billing plans with buttons to subscribe. */
function PlanList({ billing: { plans, plan: current } }: { readonly billing: Billing }) {
  const checkout = useCheckout();
  return (
    <Panel title="Plans" description="Payments are handled by Stripe.">
      <ul className={classes.plans}>
        {plans.map((plan) => (
          <PlanCard
            key={plan.id}
            plan={plan}
            isCurrent={plan.id === current.id}
            isBusy={checkout.isPending && checkout.variables === plan.id}
            onChoose={() => checkout.mutate(plan.id)}
          />
        ))}
      </ul>
      {checkout.isError ? <ErrorState error={checkout.error} /> : null}
    </Panel>
  );
}

interface PlanCardProps {
  readonly plan: Plan;
  readonly isCurrent: boolean;
  readonly isBusy: boolean;
  readonly onChoose: () => void;
}

function PlanCard({ plan, isCurrent, isBusy, onChoose }: PlanCardProps) {
  const { name, fee_usd, included_tokens_saved: included, usd_per_million_tokens_saved: price } = plan;
  return (
    <li className={classes.plan}>
      <h3 className={classes.name}>
        <Foreign>{name}</Foreign> {isCurrent ? <Badge variant="light">current</Badge> : null}
      </h3>
      <p className={classes.price}>{formatUsd(fee_usd)} per month</p>
      <p className={classes.note}>
        {included === null
          ? 'All saved tokens included.'
          : `${formatTokens(included)} saved included, then ${formatUsd(price)} per million saved tokens.`}
      </p>
      {plan.can_subscribe && !isCurrent ? (
        <Button size="xs" loading={isBusy} onClick={onChoose}>
          Choose<span className="visually-hidden"> {name}</span>
        </Button>
      ) : null}
    </li>
  );
}
