import { Badge, Button } from '@mantine/core';
import { usePortal, type Billing } from '../../api/billing.ts';
import { Foreign } from '../../components/foreign.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { Time } from '../../components/values.tsx';

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
            Change or end it
          </Button>
        )
      }
    >
      {subscription === null ? (
        <p>No subscription yet: choose a plan below.</p>
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

/** Of which Stripe asks for nothing any more. */
const endedStatuses = ['canceled', 'incomplete_expired'];

function Course({ subscription }: { readonly subscription: NonNullable<Billing['subscription']> }) {
  const { status, cancel_at_period_end, current_period_end } = subscription;
  if (endedStatuses.includes(status)) return 'It has ended: choose a plan below.';
  return (
    <>
      {cancel_at_period_end ? 'It ends on ' : 'It renews on '}
      <Time value={current_period_end} />.
    </>
  );
}
