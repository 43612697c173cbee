import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ErrorState } from './states.tsx';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly title: string;
  /** Text that names the object to delete and warns that the deletion cannot be undone. */
  readonly children: ReactNode;
  /** The label of the confirm button, such as “Revoke the key”. */
  readonly action: string;
  /** Text that the user must type to confirm. */
  readonly typed?: string;
  readonly isBusy?: boolean;
  readonly error?: unknown;
}

/** Asks for confirmation of a destructive action. When the dialog opens, the cancel button has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      {isOpen ? <Question {...props} /> : null}
    </Modal>
  );
}

function Question({ onClose, onConfirm, children, action, typed, isBusy, error }: ConfirmDialogProps) {
  const [answer, setAnswer] = useState('');
  const isLocked = typed !== undefined && answer.trim() !== typed;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isLocked) onConfirm();
      }}
    >
      <div>{children}</div>
      {typed === undefined ? null : (
        <TextInput
          mt="md"
          label={`Type “${typed}” to confirm`}
          value={answer}
          onChange={(event) => setAnswer(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      {error === undefined || error === null ? null : <ErrorState error={error} />}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus={typed === undefined || undefined}>
          Cancel
        </Button>
        <Button type="submit" color="red" disabled={isLocked} loading={isBusy}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
