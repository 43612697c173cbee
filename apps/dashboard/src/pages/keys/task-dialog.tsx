import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorState } from '../../components/states.tsx';
import classes from './keys.module.css';

interface TaskDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** What the button does. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly children: ReactNode;
}

/** A form in a dialog. Enter sends it, Escape leaves it. */
export function TaskDialog({ title, onClose, onSubmit, action, isBusy, error, children }: TaskDialogProps) {
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
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
          <Button variant="default" onClick={onClose}>
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

/** What came of it, when there is something to take along. A click beside it does not lose a secret. */
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
