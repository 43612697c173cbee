import { useState } from 'react';
import { Select } from '@mantine/core';
import type { ApiKey } from '../../api/keys.ts';
import { useCreateKey, useRevokeKey, useRotateKey, useUpdateKey } from '../../api/keys.ts';
import { SecretOnce } from '../../components/copy.tsx';
import { emptyFields, parseFields, renderCreation, renderUpdate } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import { DoneDialog, TaskDialog } from './task-dialog.tsx';
import { notifyDone } from '../../lib/notices.ts';
import { Foreign, Time } from '../../components/values.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';

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
      <DoneDialog title="Key created" onClose={onClose}>
        <SecretOnce secret={create.data.key}>
          Use the new key in your agent instead of the provider’s key.
        </SecretOnce>
      </DoneDialog>
    );
  return (
    <TaskDialog
      title="New key"
      action="Create key"
      onClose={onClose}
      onSubmit={() => create.mutate(renderCreation(fields))}
      isBusy={create.isPending}
      error={create.error}
    >
      <KeyForm fields={fields} onChange={setFields} />
    </TaskDialog>
  );
}

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
          notifyDone(`“${name}” saved.`);
          onClose();
        },
      },
    );
  return (
    <TaskDialog
      title="Edit key"
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

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
];

export function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [overlap, setOverlap] = useState('3600');
  const rotate = useRotateKey();
  if (rotate.data)
    return (
      <DoneDialog title="New secret created" onClose={onClose}>
        <SecretOnce secret={rotate.data.key}>
          {rotate.data.previous_key_expires_at === null ? (
            'The old secret no longer works.'
          ) : (
            <>
              The old secret works until <Time value={rotate.data.previous_key_expires_at} />.
            </>
          )}
        </SecretOnce>
      </DoneDialog>
    );
  return (
    <TaskDialog
      title={`Rotate “${apiKey.name}”`}
      action="Create new secret"
      onClose={onClose}
      onSubmit={() => rotate.mutate({ keyId: apiKey.id, overlapSeconds: Number(overlap) })}
      isBusy={rotate.isPending}
      error={rotate.error}
    >
      <Select
        label="How long the current secret keeps working"
        description="Choose enough time to update every agent that uses it."
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '3600')}
        allowDeselect={false}
      />
    </TaskDialog>
  );
}

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const revoke = useRevokeKey();
  const confirm = () =>
    revoke.mutate(apiKey.id, {
      onSuccess: () => {
        notifyDone(`“${apiKey.name}” revoked.`);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      isOpen
      title="Revoke key?"
      action="Revoke key"
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
        are rejected within a second, and their open streams end. You cannot undo this. The key’s requests
        stay in the log.
      </p>
    </ConfirmDialog>
  );
}
