import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnectProvider, type Provider } from '../../api/providers.ts';
import { notifyDone } from '../../components/notify.ts';
import { ErrorState } from '../../components/states.tsx';
import { ConnectForm } from './connect-form.tsx';
import classes from './providers.module.css';
import { renderConnectBody, type ConnectFields } from './render-connect-body.ts';

interface ConnectDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

/** Asks for what this provider takes, and no more. */
export function ConnectDialog({ provider, onClose }: ConnectDialogProps) {
  const [fields, setFields] = useState<ConnectFields>({});
  const connect = useConnectProvider();
  const send = useMutation({
    mutationFn: (given: ConnectFields) => connect.mutateAsync(renderConnectBody(provider.provider, given)),
    onSuccess: ({ display_name }) => {
      notifyDone(`${display_name} is connected.`);
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Connect ${provider.display_name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate(fields);
        }}
      >
        <ConnectForm provider={provider} fields={fields} onChange={setFields} />
        {send.isError ? <ErrorState error={send.error} /> : null}
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending}>
            Connect
          </Button>
        </div>
      </form>
    </Modal>
  );
}
