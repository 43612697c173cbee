import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useDeleteAccount, type Account } from '../../api/account.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Foreign } from '../../components/foreign.tsx';
import { Panel } from '../../components/panel.tsx';
import { logOut } from '../../session/session-actions.ts';

/** The end of the account, after its name was typed. The receipt says what is left to be done. */
export function DeletePanel({ account }: { readonly account: Account }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useDeleteAccount();
  const navigate = useNavigate();
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: async ({ id }) => {
        await navigate(`/deleted/${id}`, { replace: true });
        await logOut();
      },
    });
  return (
    <Panel
      title="Delete the account"
      description="Its keys, request log, tool statistics, routing data and stored provider credentials, and your sign-in."
      actions={
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          Delete the account
        </Button>
      }
    >
      <ConfirmDialog
        isOpen={isAsking}
        title="Delete the account for good?"
        action="Delete everything"
        typed={account.name}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
        isBusy={remove.isPending}
        error={remove.error}
      >
        <p>
          Agents that use keys of{' '}
          <strong>
            <Foreign>{account.name}</Foreign>
          </strong>{' '}
          are refused at once. Nothing of it can be brought back.
        </p>
      </ConfirmDialog>
    </Panel>
  );
}
