import { Button, Modal, PasswordInput, TextInput, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../api/providers.ts';
import { useConnectProvider } from '../api/providers.ts';
import { notifyDone } from '../lib/notices.ts';
import { ErrorState } from './states.tsx';
import classes from './connect-provider.module.css';
import type { ConnectFields } from './render-connect-body.ts';
import { renderConnectBody } from './render-connect-body.ts';

interface ConnectDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

/** A form with exactly the fields that this provider accepts. */
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

interface FieldRow {
  readonly label: string;
  readonly description: string;
  readonly kind: 'secret' | 'text' | 'lines';
}

/** Labels and descriptions of the fields that the API accepts. */
const rows: Readonly<Record<string, FieldRow>> = {
  api_key: { label: 'API key', description: 'The key from your provider.', kind: 'secret' },
  access_key_id: { label: 'Access key ID', description: 'Instead of an API key.', kind: 'text' },
  secret_access_key: {
    label: 'Secret access key',
    description: 'The secret that belongs to the access key ID.',
    kind: 'secret',
  },
  session_token: { label: 'Session token', description: 'Only for temporary credentials.', kind: 'secret' },
  service_account: { label: 'Service account', description: 'The full key file (JSON).', kind: 'lines' },
  region: {
    label: 'Region',
    description: 'The region of the models, for example us-east-1 or europe-west4.',
    kind: 'text',
  },
  project: {
    label: 'Project',
    description: 'Needed if the service account does not name one.',
    kind: 'text',
  },
  base_url: {
    label: 'Base URL',
    description: 'Replaces the provider’s default URL: https://…',
    kind: 'text',
  },
  api_version: {
    label: 'API version',
    description: 'Only for deployments, for example 2024-10-21.',
    kind: 'text',
  },
  additional_api_keys: {
    label: 'More API keys',
    description: 'One per line. Each call uses the healthy key with the least load.',
    kind: 'lines',
  },
};

interface ConnectFormProps {
  readonly provider: Provider;
  readonly fields: ConnectFields;
  readonly onChange: (fields: ConnectFields) => void;
}

function ConnectForm({ provider, fields, onChange }: ConnectFormProps) {
  const { required, optional } = provider.fields;
  // A provider that needs a credential with several parts allows only one provider key.
  const hasMore = required.includes('api_key') && !required.includes('base_url');
  const names = [...required, ...optional, ...(hasMore ? ['additional_api_keys'] : [])];
  return names.map((name) => (
    <Field
      key={name}
      name={name}
      isRequired={required.includes(name)}
      value={fields[name] ?? ''}
      onChange={(value) => onChange({ ...fields, [name]: value })}
    />
  ));
}

interface FieldProps {
  readonly name: string;
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ name, isRequired, value, onChange }: FieldProps) {
  const row = rows[name] ?? { label: name, description: '', kind: 'text' };
  const props = {
    label: row.label,
    description: isRequired ? row.description : `Optional. ${row.description}`.trimEnd(),
    required: isRequired,
    value,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  switch (row.kind) {
    case 'secret':
      return (
        <PasswordInput {...props} visibilityToggleButtonProps={{ 'aria-label': `Show the ${row.label}` }} />
      );
    case 'lines':
      return <Textarea {...props} rows={3} />;
    case 'text':
      return <TextInput {...props} />;
  }
}
