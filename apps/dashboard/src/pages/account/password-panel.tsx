import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { useChangePassword } from '../../api/account.ts';
import { notifyDone } from '../../lib/notices.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useSignInSettings } from '../../login-session/sign-in-settings.ts';
import classes from './account.module.css';

const nothing = { current_password: '', new_password: '' };

/** A form to change the password. The page shows this form only if the gateway manages passwords. */
export function PasswordPanel() {
  const settings = useSignInSettings();
  return settings.data?.kind === 'embedded' ? <PasswordForm /> : null;
}

function PasswordForm() {
  const [fields, setFields] = useState(nothing);
  const change = useChangePassword();
  const submit = () =>
    change.mutate(fields, {
      onSuccess: () => {
        setFields(nothing);
        notifyDone('Password changed. Your other login sessions have ended.');
      },
    });
  return (
    <Panel title="Password" description="A change ends all your other login sessions.">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <PasswordFields fields={fields} onChange={setFields} />
        {change.isError ? <ErrorState error={change.error} /> : null}
        <div>
          <Button type="submit" loading={change.isPending} disabled={fields.new_password === ''}>
            Change password
          </Button>
        </div>
      </form>
    </Panel>
  );
}

interface PasswordFieldsProps {
  readonly fields: typeof nothing;
  readonly onChange: (fields: typeof nothing) => void;
}

function PasswordFields({ fields, onChange }: PasswordFieldsProps) {
  return (
    <div className={classes.fields}>
      <PasswordInput
        label="Current password"
        required
        autoComplete="current-password"
        value={fields.current_password}
        onChange={(event) => onChange({ ...fields, current_password: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': 'Show current password' }}
      />
      <PasswordInput
        label="New password"
        required
        autoComplete="new-password"
        value={fields.new_password}
        onChange={(event) => onChange({ ...fields, new_password: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': 'Show new password' }}
      />
    </div>
  );
}
