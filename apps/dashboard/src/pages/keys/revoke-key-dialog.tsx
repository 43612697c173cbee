import { useRevokeKey } from '../../api/keys.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Foreign } from '../../components/foreign.tsx';
import { notifyDone } from '../../components/notify.ts';
import type { KeyDialogProps } from './edit-key-dialog.tsx';

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const revoke = useRevokeKey();
  const confirm = () =>
    revoke.mutate(apiKey.id, {
      onSuccess: () => {
        notifyDone(`“${apiKey.name}” is revoked.`);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      isOpen
      title="Revoke the key?"
      action="Revoke the key"
      onClose={onClose}
      onConfirm={confirm}
      isBusy={revoke.isPending}
      error={revoke.error}
    >
      <p>
        Agents that use{' '}
        <strong>
          <Foreign>{apiKey.name}</Foreign>
        </strong>{' '}
        are refused within a second, and their open streams end. It cannot be taken back; its requests stay in
        the log.
      </p>
    </ConfirmDialog>
  );
}
