import { Anchor, Badge, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useProviders, type Provider } from '../../api/providers.ts';
import { Foreign } from '../../components/values.tsx';
import { QueryView } from '../../components/states.tsx';
import { ConnectDialog } from '../../components/connect-provider.tsx';
import { Step } from './step.tsx';
import classes from './welcome.module.css';

/** The most common providers. The Providers page lists all providers. */
const usual = ['openai', 'anthropic', 'google', 'hosted', 'azure', 'openrouter'];

export function ConnectStep() {
  const providers = useProviders();
  const [chosen, setChosen] = useState<Provider | null>(null);
  const own = providers.data?.filter(({ connected, provider }) => connected && provider !== 'sandbox') ?? [];
  return (
    <Step
      number={1}
      title="Connect a provider"
      description="The gateway calls the provider with your key and stores the key encrypted. To look around first, use the sandbox, which needs no key."
      isDone={own.length > 0}
    >
      <QueryView query={providers} lines={2}>
        {(all) => <Choices providers={all} onChoose={setChosen} />}
      </QueryView>
      {chosen === null ? null : <ConnectDialog provider={chosen} onClose={() => setChosen(null)} />}
    </Step>
  );
}

interface ChoicesProps {
  readonly providers: readonly Provider[];
  readonly onChoose: (provider: Provider) => void;
}

function Choices({ providers, onChoose }: ChoicesProps) {
  const connected = providers.filter((each) => each.connected);
  const open = usual.flatMap(
    (name) => providers.find((each) => each.provider === name && !each.connected) ?? [],
  );
  return (
    <>
      <p className={classes.row}>
        {connected.map(({ provider, display_name }) => (
          <Badge key={provider} color="green" variant="light" size="lg" tt="none">
            <Foreign>{display_name}</Foreign>: connected
          </Badge>
        ))}
      </p>
      <div className={classes.row}>
        {open.map((provider) => (
          <Button key={provider.provider} variant="default" size="xs" onClick={() => onChoose(provider)}>
            {provider.display_name}
          </Button>
        ))}
        <Anchor component={Link} to="/providers" size="sm">
          All {providers.length} providers
        </Anchor>
      </div>
    </>
  );
}
