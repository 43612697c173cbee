import { NumberInput, TextInput } from '@mantine/core';
import { ScopeField } from '../../components/scope-field.tsx';
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

/** Form fields for the name, scopes, limits, number of tools and expiry of an API key. */
export function KeyForm({ fields, onChange }: KeyFormProps) {
  return (
    <div className={classes.form}>
      <TextInput
        label="Name"
        description="The agent that uses it, for example “support bot, production”."
        required
        maxLength={200}
        data-autofocus
        value={fields.name}
        onChange={(event) => onChange({ ...fields, name: event.currentTarget.value })}
      />
      <ScopeField
        label="Scopes"
        description="What the key may call. Agents need only Inference."
        value={fields.scopes}
        onChange={(scopes) => onChange({ ...fields, scopes })}
      />
      <LimitFields fields={fields} onChange={onChange} />
      <NumberInput
        label="Number of tools (K)"
        description="Always forward this many top-ranked tools. Blank = chosen automatically from measurements."
        placeholder="automatic"
        min={1}
        max={512}
        allowDecimal={false}
        value={fields.k_target_override}
        onChange={(value) => onChange({ ...fields, k_target_override: parseNumber(value) })}
      />
      <TextInput
        label="Expires"
        description="In your time zone. Blank = never."
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
