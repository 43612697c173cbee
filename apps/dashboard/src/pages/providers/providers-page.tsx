import { SegmentedControl, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useState } from 'react';
import type { Provider } from '../../api/providers.ts';
import { useDisconnectProvider, useProviders } from '../../api/providers.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { ConnectDialog } from '../../components/connect-provider.tsx';
import { ProviderCard } from './provider-card.tsx';
import classes from './providers.module.css';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../lib/notices.ts';

type Shown = 'all' | 'connected';

interface Task {
  readonly kind: 'connect' | 'disconnect';
  readonly provider: Provider;
}

export function ProvidersPage() {
  const providers = useProviders();
  const [shown, setShown] = useState<Shown>('all');
  const [search, setSearch] = useState('');
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  return (
    <>
      <PageHeader
        title="Providers"
        description="Model providers that the gateway may call for you. Credentials are stored encrypted, sent only to the host they were saved for, and never shown again."
      />
      <Filter shown={shown} onShown={setShown} search={search} onSearch={setSearch} />
      <QueryView query={providers} lines={8}>
        {(all) => (
          <ProviderList
            providers={chooseShown(all, shown, search)}
            onConnect={(provider) => setTask({ kind: 'connect', provider })}
            onDisconnect={(provider) => setTask({ kind: 'disconnect', provider })}
          />
        )}
      </QueryView>
      {task?.kind === 'connect' ? <ConnectDialog provider={task.provider} onClose={close} /> : null}
      {task?.kind === 'disconnect' ? <DisconnectDialog provider={task.provider} onClose={close} /> : null}
    </>
  );
}

/** Filters the providers. Connected providers come before unconnected providers, and each group is sorted by name. */
function chooseShown(all: readonly Provider[], shown: Shown, search: string): Provider[] {
  const words = search.trim().toLowerCase();
  return all
    .filter(({ connected }) => shown === 'all' || connected)
    .filter(({ provider, display_name }) => `${provider} ${display_name}`.toLowerCase().includes(words))
    .sort(
      (one, other) =>
        Number(other.connected) - Number(one.connected) || one.display_name.localeCompare(other.display_name),
    );
}

interface FilterProps {
  readonly shown: Shown;
  readonly onShown: (shown: Shown) => void;
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

function Filter({ shown, onShown, search, onSearch }: FilterProps) {
  return (
    <div className={classes.filter}>
      <TextInput
        aria-label="Find a provider"
        placeholder="Find a provider"
        leftSection={<Search size={16} aria-hidden />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <SegmentedControl
        aria-label="Providers to show"
        value={shown}
        onChange={onShown}
        data={[
          { value: 'all', label: 'All' },
          { value: 'connected', label: 'Connected' },
        ]}
      />
    </div>
  );
}

interface ProviderListProps {
  readonly providers: readonly Provider[];
  readonly onConnect: (provider: Provider) => void;
  readonly onDisconnect: (provider: Provider) => void;
}

function ProviderList({ providers, onConnect, onDisconnect }: ProviderListProps) {
  if (providers.length === 0)
    return (
      <EmptyState title="No matching providers">Search for another name, or show all providers.</EmptyState>
    );
  return (
    <ul className={classes.grid} aria-label="Providers">
      {providers.map((provider) => (
        <li key={provider.provider}>
          <ProviderCard provider={provider} onConnect={onConnect} onDisconnect={onDisconnect} />
        </li>
      ))}
    </ul>
  );
}

interface DisconnectDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

function DisconnectDialog({ provider: { provider, display_name }, onClose }: DisconnectDialogProps) {
  const disconnect = useDisconnectProvider();
  const confirm = () =>
    disconnect.mutate(provider, {
      onSuccess: () => {
        notifyDone(`${display_name} is disconnected.`);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      isOpen
      title={`Disconnect ${display_name}?`}
      action="Disconnect"
      onClose={onClose}
      onConfirm={confirm}
      isBusy={disconnect.isPending}
      error={disconnect.error}
    >
      <p>
        The stored credential is deleted. New requests for its models fail unless a fallback model is
        available. To connect the provider again, you need to enter the credential again.
      </p>
    </ConfirmDialog>
  );
}
