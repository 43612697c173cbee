import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useUpdateAccount, type Account } from '../../api/account.ts';
import { notifyDone } from '../../lib/notices.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import classes from './account.module.css';

type Policy = Account['policy'];
type LimitField = 'rate_limit_rpm' | 'daily_token_budget' | 'weekly_token_budget';

const limits: readonly { field: LimitField; label: string; description: string; min: number; max: number }[] =
  [
    {
      field: 'rate_limit_rpm',
      label: 'Requests per minute',
      description: 'Per key, counted across all gateway replicas.',
      min: 1,
      max: 10_000_000,
    },
    {
      field: 'daily_token_budget',
      label: 'Saved tokens per day',
      description: 'Per key and UTC day. Requests beyond the budget are sent unoptimized.',
      min: 0,
      max: 1e15,
    },
    {
      field: 'weekly_token_budget',
      label: 'Saved tokens per week',
      description: 'Per key. Weeks start on Monday.',
      min: 0,
      max: 1e15,
    },
  ];

/**
 * The limits that API keys inherit from the account. Changes take effect on all replicas within a second, and
 * can be undone.
 */
export function PolicyPanel({ account: { policy } }: { readonly account: Account }) {
  const [draft, setDraft] = useState<Policy>(policy);
  const update = useUpdateAccount();
  const isChanged = limits.some(({ field }) => draft[field] !== policy[field]);
  const save = () => {
    const { rate_limit_rpm, daily_token_budget, weekly_token_budget } = draft;
    const before = policy;
    update.mutate(
      { policy: { rate_limit_rpm, daily_token_budget, weekly_token_budget } },
      { onSuccess: () => notifyDone('Limits saved.', () => restore(before)) },
    );
  };
  const restore = ({ rate_limit_rpm, daily_token_budget, weekly_token_budget }: Policy) => {
    setDraft((now) => ({ ...now, rate_limit_rpm, daily_token_budget, weekly_token_budget }));
    update.mutate(
      { policy: { rate_limit_rpm, daily_token_budget, weekly_token_budget } },
      { onSuccess: () => notifyDone('Limits restored.') },
    );
  };
  return (
    <Panel title="Limits" description="These apply to keys without their own limits.">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <LimitInputs draft={draft} onChange={setDraft} />
        {update.isError ? <ErrorState error={update.error} /> : null}
        <div>
          <Button type="submit" disabled={!isChanged} loading={update.isPending}>
            Save limits
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function LimitInputs({
  draft,
  onChange,
}: {
  readonly draft: Policy;
  readonly onChange: (draft: Policy) => void;
}) {
  return (
    <div className={classes.fields}>
      {limits.map(({ field, label, description, min, max }) => (
        <NumberInput
          key={field}
          label={label}
          description={description}
          required
          min={min}
          max={max}
          allowDecimal={false}
          thousandSeparator=","
          value={draft[field]}
          onChange={(value) => onChange({ ...draft, [field]: value === '' ? min : Number(value) })}
        />
      ))}
    </div>
  );
}
