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

interface FieldRow {
  readonly label: string;
  readonly description: string;
  readonly kind: 'secret' | 'text' | 'lines';
}

/** How each field of the API is asked for. */
const rows: Readonly<Record<string, FieldRow>> = {
  api_key: { label: 'API key', description: 'As the provider gave it out.', kind: 'secret' },
  access_key_id: { label: 'Access key id', description: 'In place of an API key.', kind: 'text' },
  secret_access_key: { label: 'Secret access key', description: 'Of that access key.', kind: 'secret' },
  session_token: { label: 'Session token', description: 'Of temporary credentials.', kind: 'secret' },
  service_account: { label: 'Service account', description: 'The whole key file (JSON).', kind: 'lines' },
  region: {
    label: 'Region',
    description: 'Where models are called: us-east-1, europe-west4 …',
    kind: 'text',
  },
  project: { label: 'Project', description: 'Unless the service account names it.', kind: 'text' },
  base_url: { label: 'Address', description: 'In place of the provider’s own: https://….', kind: 'text' },
  api_version: { label: 'API version', description: 'Only for deployments: 2024-10-21.', kind: 'text' },
  additional_api_keys: {
    label: 'Further API keys',
    description: 'One a line. Calls go to whichever is well and has the least to do.',
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
  // Credentials made of several parts are not spread over several keys.
  const hasMore = required.includes('api_key') && !required.includes('base_url');
  const asked = [...required, ...optional, ...(hasMore ? ['additional_api_keys'] : [])];
  return asked.map((name) => (
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
    description: isRequired ? row.description : `Optional. ${row.description}`,
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
