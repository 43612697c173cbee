import { useState } from 'react';
import { useUpdateKey, type ApiKey } from '../../api/keys.ts';
import { notifyDone } from '../../components/notify.ts';
import { parseFields, renderUpdate } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import { TaskDialog } from './task-dialog.tsx';

export interface KeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function EditKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [before] = useState(() => parseFields(apiKey));
  const [fields, setFields] = useState(before);
  const update = useUpdateKey();
  const save = () =>
    update.mutate(
      { keyId: apiKey.id, body: renderUpdate(fields, before) },
      {
        onSuccess: ({ name }) => {
          notifyDone(`“${name}” is changed.`);
          onClose();
        },
      },
    );
  return (
    <TaskDialog
      title="Edit the key"
      action="Save"
      onClose={onClose}
      onSubmit={save}
      isBusy={update.isPending}
      error={update.error}
    >
      <KeyForm fields={fields} onChange={setFields} />
    </TaskDialog>
  );
}
