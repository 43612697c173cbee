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
      title="Make a key"
      description="Agents send it in place of the provider’s key. One for each agent lets you see, and limit, each by itself."
      isDone={count > 0}
    >
      {secret === null ? (
        <KeyForm onSecret={onSecret} />
      ) : (
        <SecretOnce secret={secret}>
          The snippets below have it filled in until you leave this page.
        </SecretOnce>
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
        create.mutate({ name }, { onSuccess: ({ key }) => onSecret(key) });
      }}
    >
      <TextInput
        label="Name of the key"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" loading={create.isPending}>
        Make the key
      </Button>
      {create.isError ? <ErrorState error={create.error} /> : null}
    </form>
  );
}
