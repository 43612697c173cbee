import { Badge, Button } from '@mantine/core';
import { useCheckout, type Billing, type Plan } from '../../api/billing.ts';
import { Foreign } from '../../components/foreign.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { formatTokens, formatUsd } from '../../format/numbers.ts';
import classes from './billing.module.css';

/** The plans that can be had, with the way to pay for them. */
export function PlanList({ billing: { plans, plan: current } }: { readonly billing: Billing }) {
  const checkout = useCheckout();
  return (
    <Panel title="Plans" description="Paying happens on Stripe’s own page.">
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
      <p className={classes.price}>{formatUsd(fee_usd)} a month</p>
      <p className={classes.note}>
        {included === null
          ? 'All saved tokens included.'
          : `${formatTokens(included)} saved included, then ${formatUsd(price)} per million.`}
      </p>
      {plan.can_subscribe && !isCurrent ? (
        <Button size="xs" loading={isBusy} onClick={onChoose}>
          Choose<span className="visually-hidden"> {name}</span>
        </Button>
      ) : null}
    </li>
  );
}
