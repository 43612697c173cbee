import { Button } from '@mantine/core';
import { useState } from 'react';
import { useUpdateAccount, type Account } from '../../api/account.ts';
import { Panel } from '../../components/panel.tsx';
import { ScopeField, type KeyScope } from '../../components/scope-field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { notifyDone } from '../../lib/notices.ts';
import classes from './account.module.css';

/**
 * The default scopes of API keys. The default scopes apply to API keys that a program creates without scopes. The
 * dashboard sends the scopes of every API key that it creates.
 */
export function DefaultScopesPanel({ account: { policy } }: { readonly account: Account }) {
  const before = policy.default_key_scopes;
  const [draft, setDraft] = useState<KeyScope[]>(before);
  const update = useUpdateAccount();
  const isChanged = draft.join() !== before.join();
  const put = (scopes: KeyScope[], onSuccess: () => void) =>
    update.mutate({ policy: { default_key_scopes: scopes } }, { onSuccess });
  const restore = () => {
    setDraft(before);
    put(before, () => notifyDone('Default scopes restored.'));
  };
  const save = () => put(draft, () => notifyDone('Default scopes saved.', restore));
  return (
    <Panel title="Default scopes" description="For keys that are created through the API without scopes.">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <ScopeField
          label="Scopes of new keys"
          description="Existing keys do not change. Keys with limits or tool lists do not get Manage by default."
          value={draft}
          onChange={setDraft}
        />
        {update.isError ? <ErrorState error={update.error} /> : null}
        <div>
          <Button type="submit" disabled={!isChanged || draft.length === 0} loading={update.isPending}>
            Save default scopes
          </Button>
        </div>
      </form>
    </Panel>
  );
}
