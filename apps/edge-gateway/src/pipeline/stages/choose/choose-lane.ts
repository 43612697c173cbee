import { GatewayError } from '@gateway/errors';
import type { ClientFormat } from '@gateway/interchange';
import { formatsOf, type Provider } from '@gateway/providers';
import type { Lane } from '../../../request/request.ts';

/**
 * Chooses the lane. The client's own format is preferred, because nothing is lost there; else the provider's
 * preferred format.
 * @throws GatewayError `provider_not_connected` if the provider supports none of the gateway's formats
 */
export function chooseLane(format: ClientFormat, provider: Provider): Lane {
  if (provider.chatPaths[format] !== undefined) return { kind: 'same-format', format };
  const [preferred] = formatsOf(provider);
  if (preferred !== undefined) return { kind: 'translated', format: preferred };
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} has no chat endpoint.`,
  });
}
