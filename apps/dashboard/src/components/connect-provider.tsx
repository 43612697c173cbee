import { Alert, Button, Modal, PasswordInput, Radio, Stack, TextInput, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../api/providers.ts';
import { useConnectProvider } from '../api/providers.ts';
import { notifyDone } from '../lib/notices.ts';
import { ErrorState } from './states.tsx';
import { Foreign } from './values.tsx';
import classes from './connect-provider.module.css';
import type { ConnectFields } from './render-connect-body.ts';
import { chooseFields, renderConnectBody } from './render-connect-body.ts';

interface ConnectDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

/**
 * A form with exactly the fields that this provider accepts. If the provider rejects the credential, the form stays
 * open, so that the user can correct the credential.
 */
export function ConnectDialog({ provider, onClose }: ConnectDialogProps) {
  const [fields, setFields] = useState<ConnectFields>({});
  const [group, setGroup] = useState(0);
  const choice = chooseFields(provider.fields, group);
  const send = useSend(provider, choice.names, onClose);
  const failure = send.data?.last_error ?? null;
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
        <GroupChoice provider={provider} chosen={group} onChoose={setGroup} />
        {choice.names.map((name) => (
          <Field
            key={name}
            name={name}
            isRequired={choice.required.includes(name)}
            value={fields[name] ?? ''}
            onChange={(value) => setFields({ ...fields, [name]: value })}
          />
        ))}
        {send.isError ? <ErrorState error={send.error} /> : null}
        {failure === null ? null : <FailedCheck failure={failure} />}
        <Buttons isSaved={failure !== null} isBusy={send.isPending} onClose={onClose} />
      </form>
    </Modal>
  );
}

/** Sends the fields with the given names. The form closes unless the check of the credential fails. */
function useSend(provider: Provider, names: readonly string[], onClose: () => void) {
  const connect = useConnectProvider();
  return useMutation({
    mutationFn: (given: ConnectFields) =>
      connect.mutateAsync(renderConnectBody(provider.provider, given, names)),
    onSuccess: ({ display_name, verified, last_error }) => {
      if (last_error !== null) return;
      notifyDone(`${display_name} is connected. ${verified ? 'The credential works.' : unchecked}`);
      onClose();
    },
  });
}

interface ButtonsProps {
  /** Whether the credential has been saved although its check failed. */
  readonly isSaved: boolean;
  readonly isBusy: boolean;
  readonly onClose: () => void;
}

function Buttons({ isSaved, isBusy, onClose }: ButtonsProps) {
  return (
    <div className={classes.buttons}>
      <Button variant="default" onClick={onClose}>
        {isSaved ? 'Close' : 'Cancel'}
      </Button>
      <Button type="submit" loading={isBusy}>
        Connect
      </Button>
    </div>
  );
}

const unchecked = 'The first successful request verifies the credential.';

function FailedCheck({ failure }: { readonly failure: string }) {
  return (
    <Alert color="yellow" variant="light" role="alert" title="Saved, but the check of the credential failed">
      <Foreign>{failure}</Foreign> Correct the fields and connect again, or close the form to keep the
      credential.
    </Alert>
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
  access_key_id: { label: 'Access key ID', description: 'The ID of an AWS access key.', kind: 'text' },
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

interface GroupChoiceProps {
  readonly provider: Provider;
  readonly chosen: number;
  readonly onChoose: (group: number) => void;
}

/** The choice between the kinds of credentials. Each option is named after the fields that are required together. */
function GroupChoice({ provider, chosen, onChoose }: GroupChoiceProps) {
  const { one_of: groups } = provider.fields;
  if (groups === undefined) return null;
  const labels = groups.map(({ required }) =>
    required.map((name) => rows[name]?.label ?? name).join(' and '),
  );
  return (
    <Radio.Group
      label="Kind of credential"
      value={String(chosen)}
      onChange={(value) => onChoose(Number(value))}
    >
      <Stack gap="xs" mt="xs">
        {labels.map((label, at) => (
          <Radio key={label} value={String(at)} label={label} />
        ))}
      </Stack>
    </Radio.Group>
  );
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
