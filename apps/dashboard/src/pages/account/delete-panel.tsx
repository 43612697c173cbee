import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useDeleteAccount, type Account } from '../../api/account.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Foreign } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';

/** Deletes the account once the user has typed its name, and then opens the receipt. */
export function DeletePanel({ account }: { readonly account: Account }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel
      title="Delete account"
      description="Deletes its keys, request log, tool statistics, routing data, provider credentials, and your sign-in."
      actions={
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      }
    >
      <Question account={account} isOpen={isAsking} onClose={() => setAsking(false)} />
    </Panel>
  );
}

interface QuestionProps {
  readonly account: Account;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Question({ account, isOpen, onClose }: QuestionProps) {
  const remove = useDeleteAccount();
  const navigate = useNavigate();
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: ({ id }) => void navigate(`/deleted/${id}`, { replace: true, state: { leaves: true } }),
    });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Delete account permanently?"
      action="Delete everything"
      typed={account.name}
      onClose={onClose}
      onConfirm={confirm}
      isBusy={remove.isPending}
      error={remove.error}
    >
      <p>
        Agents that use keys of{' '}
        <strong>
          <Foreign>{account.name}</Foreign>
        </strong>{' '}
        are rejected at once. You cannot undo this.
      </p>
    </ConfirmDialog>
  );
}
