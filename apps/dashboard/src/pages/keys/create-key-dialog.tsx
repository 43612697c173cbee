import { useState } from 'react';
import { useCreateKey } from '../../api/keys.ts';
import { SecretOnce } from '../../components/secret-once.tsx';
import { emptyFields, renderCreation } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import { DoneDialog, TaskDialog } from './task-dialog.tsx';

interface CreateKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ isOpen, onClose }: CreateKeyDialogProps) {
  return isOpen ? <Creation onClose={onClose} /> : null;
}

function Creation({ onClose }: { readonly onClose: () => void }) {
  const [fields, setFields] = useState(emptyFields);
  const create = useCreateKey();
  if (create.data)
    return (
      <DoneDialog title="The key is made" onClose={onClose}>
        <SecretOnce secret={create.data.key}>Put it where the agent had its provider’s key.</SecretOnce>
      </DoneDialog>
    );
  return (
    <TaskDialog
      title="New key"
      action="Make the key"
      onClose={onClose}
      onSubmit={() => create.mutate(renderCreation(fields))}
      isBusy={create.isPending}
      error={create.error}
    >
      <KeyForm fields={fields} onChange={setFields} />
    </TaskDialog>
  );
}
