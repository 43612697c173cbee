import { Alert, Badge, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Provider } from '../../api/providers.ts';
import { Foreign, Time } from '../../components/values.tsx';
import classes from './providers.module.css';

interface ProviderCardProps {
  readonly provider: Provider;
  readonly onConnect: (provider: Provider) => void;
  readonly onDisconnect: (provider: Provider) => void;
}

export function ProviderCard({ provider, onConnect, onDisconnect }: ProviderCardProps) {
  const isSandbox = provider.provider === 'sandbox';
  const { connected } = provider;
  return (
    <article className={classes.card} data-connected={connected || undefined}>
      <header className={classes.head}>
        <h2 className={classes.name}>
          <Foreign>{provider.display_name}</Foreign>
        </h2>
        <StateBadge provider={provider} />
      </header>
      <p className={classes.note}>
        <code>{provider.provider}/…</code>
        {provider.formats.length > 0 ? ` · ${provider.formats.join(', ')}` : ''}
      </p>
      {connected ? <Connection provider={provider} /> : null}
      {isSandbox ? (
        <p className={classes.note}>Included with the gateway. Try everything without a provider key.</p>
      ) : (
        <footer className={classes.foot}>
          <Button size="xs" variant={connected ? 'default' : 'light'} onClick={() => onConnect(provider)}>
            {connected ? 'Replace credential' : 'Connect'}
            <span className="visually-hidden"> {provider.display_name}</span>
          </Button>
          {connected ? (
            <Button size="xs" variant="subtle" color="red" onClick={() => onDisconnect(provider)}>
              Disconnect<span className="visually-hidden"> {provider.display_name}</span>
            </Button>
          ) : null}
        </footer>
      )}
    </article>
  );
}

/** The state of the connection. A credential is verified once the provider has accepted it. */
function StateBadge({ provider }: { readonly provider: Provider }) {
  const [text, color] = describeState(provider);
  return (
    <Badge className={classes.state} variant="light" color={color}>
      {text}
    </Badge>
  );
}

function describeState({
  connected,
  verified,
  last_error,
}: Provider): readonly [text: string, color: string] {
  if (!connected) return ['not connected', 'gray'];
  if (last_error !== null) return ['failing', 'red'];
  return verified ? ['connected', 'green'] : ['not verified', 'yellow'];
}

function Connection({ provider }: { readonly provider: Provider }) {
  const { credential_hint, additional_api_keys, base_url, verified } = provider;
  const { created_at, rotated_at, last_used_at, last_error } = provider;
  const more = additional_api_keys === undefined ? '' : ` and ${additional_api_keys} more`;
  return (
    <>
      <dl className={classes.facts}>
        {credential_hint === null ? null : <Fact label="Key">{`${credential_hint}${more}`}</Fact>}
        {base_url === null ? null : <Fact label="Base URL">{base_url}</Fact>}
        {created_at === null ? null : (
          <Fact label={rotated_at === null ? 'Connected' : 'Replaced'}>
            <Time value={rotated_at ?? created_at} isRelative />
          </Fact>
        )}
        {created_at === null ? null : (
          <Fact label="Last used">
            {last_used_at === null ? 'never' : <Time value={last_used_at} isRelative />}
          </Fact>
        )}
      </dl>
      {verified || last_error !== null ? null : (
        <p className={classes.note}>
          The provider has not accepted the credential yet. The first successful request verifies it.
        </p>
      )}
      {last_error === null ? null : (
        <Alert color="yellow" variant="light" p="xs">
          <Foreign>{last_error}</Foreign>
        </Alert>
      )}
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>
        <Foreign>{children}</Foreign>
      </dd>
    </div>
  );
}
