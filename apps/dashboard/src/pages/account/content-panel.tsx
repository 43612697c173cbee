import { Button, NumberInput, Slider, Switch } from '@mantine/core';
import { useState } from 'react';
import { useUpdateAccount, type Account } from '../../api/account.ts';
import { notifyDone } from '../../lib/notices.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { formatShare } from '../../lib/format.ts';
import classes from './account.module.css';

type Kept = Pick<Account['policy'], 'content_logging' | 'retention_days' | 'shadow_share'>;

/** What is kept of requests, and what may be measured with them. */
export function ContentPanel({ account: { policy } }: { readonly account: Account }) {
  const { content_logging, retention_days, shadow_share } = policy;
  const before: Kept = { content_logging, retention_days, shadow_share };
  const [draft, setDraft] = useState<Kept>(before);
  const update = useUpdateAccount();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const put = (kept: Kept, onSuccess: () => void) => update.mutate({ policy: kept }, { onSuccess });
  const restore = () => {
    setDraft(before);
    put(before, () => notifyDone('What is kept is as it was.'));
  };
  const save = () => put(draft, () => notifyDone('What is kept is saved.', restore));
  return (
    <Panel title="What is kept" description="Bounds for everything that stores or measures.">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <KeptFields draft={draft} onChange={setDraft} />
        {update.isError ? <ErrorState error={update.error} /> : null}
        <div>
          <Button type="submit" disabled={!isChanged} loading={update.isPending}>
            Save what is kept
          </Button>
        </div>
      </form>
    </Panel>
  );
}

const daysMax = 365;

function KeptFields({ draft, onChange }: { readonly draft: Kept; readonly onChange: (draft: Kept) => void }) {
  return (
    <>
      <Switch
        label="Store what messages and tools say"
        description="Encrypted, and deleted with the request. Off: figures and names of tools are kept, never contents."
        checked={draft.content_logging}
        onChange={(event) => onChange({ ...draft, content_logging: event.currentTarget.checked })}
      />
      <NumberInput
        label="Keep requests for"
        description="Older ones are deleted, with the sums that hold them."
        className={classes.short}
        suffix=" days"
        required
        min={1}
        max={daysMax}
        allowDecimal={false}
        value={draft.retention_days}
        onChange={(value) => onChange({ ...draft, retention_days: value === '' ? 1 : Number(value) })}
      />
      <ShadowShare
        value={draft.shadow_share}
        onChange={(share) => onChange({ ...draft, shadow_share: share })}
      />
    </>
  );
}

function ShadowShare({
  value,
  onChange,
}: {
  readonly value: number;
  readonly onChange: (share: number) => void;
}) {
  return (
    <div className={classes.short}>
      <p className={classes.label} id="shadow-label">
        Sessions used to measure: {formatShare(value)}
      </p>
      <p className={classes.note}>
        In these all tools are forwarded, and the plan beside is compared with what was called.
      </p>
      <Slider
        thumbProps={{ 'aria-labelledby': 'shadow-label' }}
        label={(share) => formatShare(share)}
        min={0}
        max={1}
        step={0.01}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}
