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
          {subscription.cancel_at_period_end ? 'It ends on ' : 'It renews on '}
          <Time value={subscription.current_period_end} />.
        </p>
      )}
      {portal.isError ? <ErrorState error={portal.error} /> : null}
    </Panel>
  );
}
