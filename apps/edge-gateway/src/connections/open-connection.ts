import { GatewayError } from '@gateway/errors';
import type { Backend } from '../backends/backend.ts';
import type { BackendBook } from '../backends/backend-book.ts';
import type { Caller, Target } from '../request/request.ts';
import type { PipelineSettings } from '../request/settings.ts';
import type { Connections, OpenedKey } from './connections.ts';
import { secretValues } from './connections.ts';

/** The credential, address and backend for a provider call. */
export interface Connection {
  /**
   * The provider key in the form that `libs/providers` expects. Null for a provider without
   * authentication.
   */
  readonly credential: string | null;
  /** The address that replaces the provider's default address. */
  readonly baseUrl: string | null;
  /** Secret values from the credential, which must never appear in logs or responses. */
  readonly secrets: readonly string[];
  /**
   * A function that receives the status code of every response. The dashboard shows a credential's failures
   * next to its provider.
   */
  readonly health: OpenedKey['health'];
  /** The backend, with its readiness and the outcomes of recent provider calls. */
  readonly backend: Backend;
}

export interface ConnectionServices {
  readonly connections: Connections;
  readonly settings: PipelineSettings;
  readonly backends: BackendBook;
}

/** A function that does nothing, because the health of credentials that arrive in requests is not recorded. */
const unrecorded: OpenedKey['health'] = { note: () => undefined };

/**
 * Returns the connection for the credential in the caller's request, or one connection for each stored
 * provider key. Throws `provider_not_connected`.
 */
export async function openConnections(
  { provider, ownCredential }: Pick<Target, 'provider' | 'ownCredential'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { connections, settings, backends }: ConnectionServices,
): Promise<readonly Connection[]> {
  const place = { accountId, provider: provider.name };
  if (ownCredential !== null) {
    const backend = backends.findForRequest(place, ownCredential);
    const secrets = secretValues(ownCredential);
    return [{ credential: ownCredential, baseUrl: null, secrets, health: unrecorded, backend }];
  }
  if (provider.name === 'sandbox' && settings.sandboxUrl !== undefined) {
    const backend = backends.find({ ...place, credential: 0 });
    return [{ credential: null, baseUrl: settings.sandboxUrl, secrets: [], health: unrecorded, backend }];
  }
  const opened = await connections.open(accountId, provider.name);
  if (opened) {
    const { keys, baseUrl } = opened;
    return keys.map(({ apiKey, secretValues: secrets, health }, credential) => ({
      // A self-hosted provider may work without a provider key.
      credential: apiKey === '' ? null : apiKey,
      ...{ baseUrl, secrets, health },
      backend: backends.find({ ...place, credential }),
    }));
  }
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} is not connected.`,
  });
}

export type ListServices = Pick<ConnectionServices, 'connections' | 'settings'>;

/**
 * Lists the connected providers. The sandbox provider needs no credential, so it is connected whenever it is
 * configured.
 */
export async function connectedProviders(
  accountId: string,
  services: ListServices,
): Promise<ReadonlySet<string>> {
  const stored = await services.connections.list(accountId);
  const names = new Set(stored.map((credential) => credential.provider));
  if (services.settings.sandboxUrl !== undefined) names.add('sandbox');
  return names;
}
