import { Button, NumberInput, Slider, Switch } from '@mantine/core';
import { useId, useState } from 'react';
import { useUpdateAccount, type Account } from '../../api/account.ts';
import { notifyDone } from '../../lib/notices.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { formatShare } from '../../lib/format.ts';
import classes from './account.module.css';

type Kept = Pick<
  Account['policy'],
  'content_logging' | 'retention_days' | 'shadow_share' | 'shadow_share_learning'
>;

/** Settings for storing and measuring requests. */
export function ContentPanel({ account: { policy } }: { readonly account: Account }) {
  const { content_logging, retention_days, shadow_share, shadow_share_learning } = policy;
  const before: Kept = { content_logging, retention_days, shadow_share, shadow_share_learning };
  const [draft, setDraft] = useState<Kept>(before);
  const update = useUpdateAccount();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const put = (kept: Kept, onSuccess: () => void) => update.mutate({ policy: kept }, { onSuccess });
  const restore = () => {
    setDraft(before);
    put(before, () => notifyDone('Data settings restored.'));
  };
  const save = () => put(draft, () => notifyDone('Data settings saved.', restore));
  return (
    <Panel title="Data settings" description="What the gateway stores and measures.">
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
            Save data settings
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
        label="Content logging"
        description="Stores the contents of messages and tool calls, encrypted, until the request is deleted. Off: only figures and tool names are stored."
        checked={draft.content_logging}
        onChange={(event) => onChange({ ...draft, content_logging: event.currentTarget.checked })}
      />
      <NumberInput
        label="Keep requests for"
        description="Older requests are deleted, including their totals."
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
        label="Shadow conversations (used for measurement), at most"
        note="Shadow conversations forward all tools and compare the plan with the tools that were called. At 0% nothing is measured."
        value={draft.shadow_share}
        onChange={(share) => onChange({ ...draft, shadow_share: share })}
      />
      <ShadowShare
        label="Shadow conversations while little is measured, at most"
        note="Applies until 100 conversations of a kind are measured, and while recall is tested again after a change."
        value={draft.shadow_share_learning}
        onChange={(share) => onChange({ ...draft, shadow_share_learning: share })}
      />
    </>
  );
}

interface ShadowShareProps {
  readonly label: string;
  readonly note: string;
  readonly value: number;
  readonly onChange: (share: number) => void;
}

function ShadowShare({ label, note, value, onChange }: ShadowShareProps) {
  const id = useId();
  return (
    <div className={classes.short}>
      <p className={classes.label} id={id}>
        {label}: {formatShare(value)}
      </p>
      <p className={classes.note}>{note}</p>
      <Slider
        thumbProps={{ 'aria-labelledby': id }}
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
