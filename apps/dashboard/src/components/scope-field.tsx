import { Checkbox } from '@mantine/core';
import type { ApiKey } from '../api/keys.ts';
import classes from './scope-field.module.css';

export type KeyScope = ApiKey['scopes'][number];

const scopes: readonly { value: KeyScope; label: string; description: string }[] = [
  { value: 'inference', label: 'Inference', description: 'Chat, models and the other model endpoints.' },
  {
    value: 'read',
    label: 'Read',
    description: 'Usage, request log, tool health and settings. Changes nothing.',
  },
  {
    value: 'manage',
    label: 'Manage',
    description: 'Keys, providers, policy, routing, billing and account deletion. Not for agents.',
  },
];

/** The labels that the dashboard shows for API key scopes. */
export function formatScopes(names: readonly KeyScope[]): string {
  if (scopes.every(({ value }) => names.includes(value))) return 'All scopes';
  return scopes.flatMap(({ value, label }) => (names.includes(value) ? label : [])).join(', ');
}

interface ScopeFieldProps {
  readonly label: string;
  readonly description: string;
  readonly value: readonly KeyScope[];
  readonly onChange: (value: KeyScope[]) => void;
}

/**
 * The form field for the scopes of API keys. The gateway requires at least one scope. If no scope is
 * selected, the form field shows an error before the form is sent.
 */
export function ScopeField({ label, description, value, onChange }: ScopeFieldProps) {
  return (
    <Checkbox.Group
      label={label}
      description={description}
      error={value.length === 0 ? 'Choose at least one.' : null}
      value={[...value]}
      onChange={(names) =>
        onChange(scopes.flatMap((scope) => (names.includes(scope.value) ? scope.value : [])))
      }
    >
      <div className={classes.options}>
        {scopes.map((scope) => (
          <Checkbox key={scope.value} {...scope} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
