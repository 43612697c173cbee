import { useDisconnectProvider, type Provider } from '../../api/providers.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.ts';

interface DisconnectDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

export function DisconnectDialog({ provider: { provider, display_name }, onClose }: DisconnectDialogProps) {
  const disconnect = useDisconnectProvider();
  const confirm = () =>
    disconnect.mutate(provider, {
      onSuccess: () => {
        notifyDone(`${display_name} is disconnected.`);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      isOpen
      title={`Disconnect ${display_name}?`}
      action="Disconnect"
      onClose={onClose}
      onConfirm={confirm}
      isBusy={disconnect.isPending}
      error={disconnect.error}
    >
      <p>
        The stored credential is deleted. Requests for its models are refused from then on, unless a fallback
        stands in. To connect it again, the key has to be entered anew.
      </p>
    </ConfirmDialog>
  );
}
