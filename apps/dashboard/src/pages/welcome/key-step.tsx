import { Anchor, Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useCreateKey, useKeys } from '../../api/keys.ts';
import { SecretOnce } from '../../components/copy.tsx';
import { ErrorState } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { Step } from './step.tsx';
import classes from './welcome.module.css';

interface KeyStepProps {
  readonly secret: string | null;
  readonly onSecret: (secret: string) => void;
}

export function KeyStep({ secret, onSecret }: KeyStepProps) {
  const keys = useKeys();
  const count = keys.data?.length ?? 0;
  return (
    <Step
      number={2}
      title="Create a key"
      description="Agents send it instead of the provider’s key. With one key per agent, you can monitor and limit each agent."
      isDone={count > 0}
    >
      {secret === null ? (
        <KeyForm onSecret={onSecret} />
      ) : (
        <SecretOnce secret={secret}>The snippets below contain the key until you leave this page.</SecretOnce>
      )}
      {count === 0 ? null : (
        <p className={classes.note}>
          You have {formatNumberOf(count, 'key')}:{' '}
          <Anchor component={Link} to="/keys" underline="always" inherit>
            limits, tool lists, rotation
          </Anchor>
          .
        </p>
      )}
    </Step>
  );
}

function KeyForm({ onSecret }: Pick<KeyStepProps, 'onSecret'>) {
  const [name, setName] = useState('my first agent');
  const create = useCreateKey();
  return (
    <form
      className={classes.inline}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate({ name, scopes: ['inference'] }, { onSuccess: ({ key }) => onSecret(key) });
      }}
    >
      <TextInput
        label="Key name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" loading={create.isPending}>
        Create key
      </Button>
      {create.isError ? <ErrorState error={create.error} /> : null}
    </form>
  );
}
