import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useDeleteAccount, type Account } from '../../api/account.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Foreign } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';

/** The end of the account, after its name was typed. The receipt says what is left to be done. */
export function DeletePanel({ account }: { readonly account: Account }) {
  const [isAsking, setAsking] = useState(false);
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
      title="Delete the account for good?"
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
        are refused at once. Nothing of it can be brought back.
      </p>
    </ConfirmDialog>
  );
}
