import { NumberInput, TextInput } from '@mantine/core';
import { useAccount } from '../../api/account.ts';
import { formatCount } from '../../lib/format.ts';
import type { KeyFields } from './key-fields.ts';
import classes from './keys.module.css';

interface KeyFormProps {
  readonly fields: KeyFields;
  readonly onChange: (fields: KeyFields) => void;
}

const limits = [
  { field: 'rate_limit_rpm', label: 'Requests per minute', min: 1 },
  { field: 'daily_token_budget', label: 'Saved tokens per day', min: 0 },
  { field: 'weekly_token_budget', label: 'Saved tokens per week', min: 0 },
] as const;

/** Name, limits, tool window and expiry of a key. */
export function KeyForm({ fields, onChange }: KeyFormProps) {
  return (
    <div className={classes.form}>
      <TextInput
        label="Name"
        description="Which agent uses it: “support bot, production”."
        required
        maxLength={200}
        data-autofocus
        value={fields.name}
        onChange={(event) => onChange({ ...fields, name: event.currentTarget.value })}
      />
      <LimitFields fields={fields} onChange={onChange} />
      <NumberInput
        label="Tool window (K)"
        description="How many tools are forwarded, whatever was measured. Empty: as measured."
        placeholder="as measured"
        min={1}
        max={512}
        allowDecimal={false}
        value={fields.k_target_override}
        onChange={(value) => onChange({ ...fields, k_target_override: parseNumber(value) })}
      />
      <TextInput
        label="Expires"
        description="In your time zone. Empty: never."
        type="datetime-local"
        value={fields.expires}
        onChange={(event) => onChange({ ...fields, expires: event.currentTarget.value })}
      />
    </div>
  );
}

function LimitFields({ fields, onChange }: KeyFormProps) {
  const policy = useAccount().data?.policy;
  return (
    <div className={classes.limits}>
      {limits.map(({ field, label, min }) => (
        <NumberInput
          key={field}
          label={label}
          placeholder={policy ? `${formatCount(policy[field])}, inherited` : 'inherited'}
          min={min}
          allowDecimal={false}
          thousandSeparator=","
          value={fields[field]}
          onChange={(value) => onChange({ ...fields, [field]: parseNumber(value) })}
        />
      ))}
    </div>
  );
}

function parseNumber(value: string | number): number | '' {
  return value === '' ? '' : Number(value);
}
