import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useUpdateAccount, type Account } from '../../api/account.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { Time } from '../../components/values.tsx';
import classes from './account.module.css';

export function ProfilePanel({ account }: { readonly account: Account }) {
  const [name, setName] = useState(account.name);
  const update = useUpdateAccount();
  const save = () => update.mutate({ name }, { onSuccess: () => notifyDone('The account’s name is saved.') });
  return (
    <Panel title="Profile">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextInput
          label="Name of the account"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <p className={classes.note}>
          Since <Time value={account.created_at} /> · id <code>{account.id}</code>{' '}
          <CopyButton text={account.id} label="Copy the id" size="compact-xs" variant="subtle" />
        </p>
        {update.isError ? <ErrorState error={update.error} /> : null}
        <div>
          <Button type="submit" disabled={name === account.name} loading={update.isPending}>
            Save the name
          </Button>
        </div>
      </form>
    </Panel>
  );
}
