import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorState } from '../../components/states.tsx';
import classes from './keys.module.css';

interface TaskDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** Label of the submit button. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly children: ReactNode;
}

/**
 * A form that is shown in a dialog. Enter submits the form, and Escape closes the dialog. The dialog stays
 * open while the form is being sent, because only the dialog shows the outcome.
 */
export function TaskDialog({ title, onClose, onSubmit, action, isBusy, error, children }: TaskDialogProps) {
  const leave = (): void => {
    if (!isBusy) onClose();
  };
  return (
    <Modal
      opened
      onClose={leave}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close', disabled: isBusy }}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {error === null ? null : <ErrorState error={error} />}
        <div className={classes.buttons}>
          <Button variant="default" onClick={leave} disabled={isBusy}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

interface DoneDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog that shows the outcome of a form. A click outside the dialog does not close it, so that a shown
 * secret is not lost.
 */
export function DoneDialog({ title, onClose, children }: DoneDialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <div className={classes.form}>
        {children}
        <div className={classes.buttons}>
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Modal>
  );
}
