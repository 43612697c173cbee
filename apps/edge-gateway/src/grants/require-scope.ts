import type { KeyGrant, KeyScope } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';

/** The API key scope that the endpoints of the request pipeline need. */
export const pipelineScope: KeyScope = 'inference';

/**
 * @throws GatewayError `insufficient_scope`, with a message that names the missing scope and explains how to
 * get this scope
 */
export function requireScope({ scopes, keyId }: KeyGrant, needed: KeyScope): void {
  if (scopes.includes(needed)) return;
  const own = scopes.map((scope) => `"${scope}"`).join(' and ');
  throw new GatewayError('insufficient_scope', {
    message: `This endpoint requires an API key with the scope "${needed}". This key has ${own}. Use another key, or add the scope in the dashboard or with PATCH /v1/account/keys/${keyId} (a key cannot change itself).`,
  });
}
