import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Account } from '../../api/account.ts';
import { useAccount, useUpdateAccount } from '../../api/account.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel, Stacked } from '../../components/panel.tsx';
import { ErrorState, QueryView } from '../../components/states.tsx';
import { ContentPanel } from './content-panel.tsx';
import { DefaultScopesPanel } from './default-scopes-panel.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { notifyDone } from '../../lib/notices.ts';
import { Time } from '../../components/values.tsx';
import classes from './account.module.css';

export function AccountPage() {
  const account = useAccount();
  return (
    <>
      <PageHeader
        title="Account"
        description="Limits and scopes that keys inherit, data storage, password, and account deletion."
      />
      <QueryView query={account}>
        {(data) => (
          <Stacked>
            <ProfilePanel account={data} />
            <PolicyPanel account={data} />
            <DefaultScopesPanel account={data} />
            <ContentPanel account={data} />
            <PasswordPanel />
            <DeletePanel account={data} />
          </Stacked>
        )}
      </QueryView>
    </>
  );
}

function ProfilePanel({ account }: { readonly account: Account }) {
  const [name, setName] = useState(account.name);
  const update = useUpdateAccount();
  const save = () => update.mutate({ name }, { onSuccess: () => notifyDone('Account name saved.') });
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
          label="Account name"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <p className={classes.note}>
          Created <Time value={account.created_at} /> · ID <code>{account.id}</code>{' '}
          <CopyButton text={account.id} label="Copy ID" size="compact-xs" variant="subtle" />
        </p>
        {update.isError ? <ErrorState error={update.error} /> : null}
        <div>
          <Button type="submit" disabled={name === account.name} loading={update.isPending}>
            Save name
          </Button>
        </div>
      </form>
    </Panel>
  );
}
