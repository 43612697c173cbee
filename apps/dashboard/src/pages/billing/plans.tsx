import { Badge, Button } from '@mantine/core';
import type { Billing, Plan } from '../../api/billing.ts';
import { useCheckout, usePortal } from '../../api/billing.ts';
import { Foreign, Time } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { formatTokens, formatUsd } from '../../lib/format.ts';
import classes from './billing.module.css';

export function CurrentPlan({ billing: { plan, subscription } }: { readonly billing: Billing }) {
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
export function PlanList({ billing: { plans, plan: current } }: { readonly billing: Billing }) {
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
