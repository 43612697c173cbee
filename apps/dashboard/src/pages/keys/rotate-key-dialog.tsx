import { Select } from '@mantine/core';
import { useState } from 'react';
import { useRotateKey } from '../../api/keys.ts';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Time } from '../../components/values.tsx';
import type { KeyDialogProps } from './edit-key-dialog.tsx';
import { DoneDialog, TaskDialog } from './task-dialog.tsx';

const overlaps = [
  { value: '0', label: 'It ends at once' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

export function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [overlap, setOverlap] = useState('3600');
  const rotate = useRotateKey();
  if (rotate.data)
    return (
      <DoneDialog title="The key has a new secret" onClose={onClose}>
        <SecretOnce secret={rotate.data.key}>
          {rotate.data.previous_key_expires_at === null ? (
            'The old one has ended.'
          ) : (
            <>
              The old one works until <Time value={rotate.data.previous_key_expires_at} />.
            </>
          )}
        </SecretOnce>
      </DoneDialog>
    );
  return (
    <TaskDialog
      title={`Rotate “${apiKey.name}”`}
      action="Make a new secret"
      onClose={onClose}
      onSubmit={() => rotate.mutate({ keyId: apiKey.id, overlapSeconds: Number(overlap) })}
      isBusy={rotate.isPending}
      error={rotate.error}
    >
      <Select
        label="How long the present secret goes on working"
        description="Long enough to give the new one to every agent that has it."
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '3600')}
        allowDeselect={false}
      />
    </TaskDialog>
  );
}
