import type { CredentialSummary, ProviderConnection, PutProviderBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ProviderFormat } from '@gateway/interchange';
import {
  checkCredential,
  checkIssuer,
  connectionShapeOf,
  type ConnectionShape,
  type Provider,
} from '@gateway/providers';

interface ConnectionParts {
  readonly provider: Provider;
  readonly formats: readonly ProviderFormat[];
  readonly credential: CredentialSummary | undefined;
  readonly sandboxUrl: string | undefined;
}

/**
 * Renders a provider for the account. If the gateway has a sandbox provider, it is always shown as connected.
 */
export function renderConnection({
  provider,
  formats,
  credential,
  sandboxUrl,
}: ConnectionParts): ProviderConnection {
  const isSandbox = provider.name === 'sandbox';
  const hasSandbox = isSandbox && sandboxUrl !== undefined;
  return {
    provider: provider.name,
    object: 'provider',
    display_name: provider.displayName,
    connected: credential !== undefined || hasSandbox,
    // The sandbox needs no credential.
    verified: credential?.verified ?? hasSandbox,
    credential_hint: credential?.hint ?? null,
    formats: [...formats],
    fields: isSandbox ? { required: [], optional: [] } : renderFields(provider),
    base_url: credential?.baseUrl ?? (isSandbox ? sandboxUrl : provider.baseUrl) ?? null,
    created_at: credential?.createdAt ?? null,
    rotated_at: credential?.rotatedAt ?? null,
    last_used_at: credential?.lastUsedAt ?? null,
    last_error: credential?.lastError ?? null,
    ...(credential?.additionalKeys ? { additional_api_keys: credential.additionalKeys } : {}),
  };
}

function renderFields(provider: Provider): ProviderConnection['fields'] {
  const { required, optional, oneOf } = connectionShapeOf(provider);
  return { ...renderGroup({ required, optional }), ...(oneOf ? { one_of: oneOf.map(renderGroup) } : {}) };
}

function renderGroup({ required, optional }: Pick<ConnectionShape, 'required' | 'optional'>) {
  return { required: [...required], optional: [...optional] };
}

/**
 * Returns the additional API keys of a connected provider, without duplicates and without the first key.
 * @throws GatewayError `invalid_field` if the provider needs more than a key, or if the first key is missing.
 * The function also throws `invalid_field` if a key looks like an ordinary word or part of a log line, or if
 * another company issued the key.
 */
export function chooseAdditionalKeys(
  { name, connection }: Provider,
  { api_key, base_url, additional_api_keys = [] }: PutProviderBody,
): readonly string[] {
  const keys = [...new Set(additional_api_keys)].filter((key) => key !== api_key);
  if (keys.length === 0) return [];
  for (const key of keys) {
    checkCredential('additional_api_keys', key);
    // At a custom address, a proxy may accept keys of any kind.
    if (base_url === undefined) checkIssuer('additional_api_keys', name, key);
  }
  if (api_key !== undefined && connection?.resolve === undefined) return keys;
  throw new GatewayError('invalid_field', {
    param: 'additional_api_keys',
    message: `Additional keys need "api_key" and a provider that takes only a key. The provider ${name} was not connected in this way.`,
  });
}
