import type { PutProviderBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Provider } from '@gateway/providers';

/**
 * The further keys of a connection, each once and none of them the first one.
 * @throws GatewayError `invalid_field` where a credential is more than a key, or there is no first one
 */
export function chooseAdditionalKeys(
  { name, connection }: Provider,
  { api_key, additional_api_keys = [] }: PutProviderBody,
): readonly string[] {
  const keys = [...new Set(additional_api_keys)].filter((key) => key !== api_key);
  if (keys.length === 0) return [];
  if (api_key !== undefined && connection?.resolve === undefined) return keys;
  throw new GatewayError('invalid_field', {
    param: 'additional_api_keys',
    message: `Further keys stand beside "api_key", for a provider that is connected by a key alone; ${name} is not connected so.`,
  });
}
