import { GatewayError } from '@gateway/errors';
import type { Caller } from '../pipeline/caller.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { Target } from '../pipeline/target.ts';
import type { OpenedCredential } from './connections.ts';
import { secretValues } from './secret-values.ts';

/** What a provider call is made with. */
export interface Connection {
  /** As `libs/providers` reads it; null for a provider that asks for none. */
  readonly credential: string | null;
  /** Replaces the provider's own address. */
  readonly baseUrl: string | null;
  /** Each value of the credential that must not show. */
  readonly secrets: readonly string[];
  /** To be told of the status of every answer: how a stored credential fares is shown with its connection. */
  readonly health: OpenedCredential['health'];
}

/** Of a credential that is not stored. */
const untold: OpenedCredential['health'] = { note: () => undefined };

/** The caller's own credential, or the one that was saved for the provider. Throws `provider_not_connected`. */
export async function openConnection(
  { provider, ownCredential }: Pick<Target, 'provider' | 'ownCredential'>,
  caller: Caller,
  services: Pick<PipelineServices, 'connections' | 'settings'>,
): Promise<Connection> {
  if (ownCredential !== null) {
    return { credential: ownCredential, baseUrl: null, secrets: secretValues(ownCredential), health: untold };
  }
  if (provider.name === 'sandbox' && services.settings.sandboxUrl !== undefined) {
    return { credential: null, baseUrl: services.settings.sandboxUrl, secrets: [], health: untold };
  }
  const opened = await services.connections.open(caller.accountId, provider.name);
  if (opened) {
    const { secret, baseUrl, secretValues: secrets, health } = opened;
    // A server of one's own may ask for no key at all.
    return { credential: secret.apiKey === '' ? null : secret.apiKey, baseUrl, secrets, health };
  }
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} is not connected.`,
  });
}
