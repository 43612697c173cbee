import { GatewayError } from '@gateway/errors';
import type { ClientFormat, ProviderFormat } from '@gateway/interchange';
import type { Provider } from '@gateway/providers';

/** How a request reaches its provider: in the client's own bytes, or translated into another format. */
export interface Lane {
  readonly kind: 'same-format' | 'translated';
  readonly format: ProviderFormat;
}

/**
 * Chooses the lane: the client's own format wherever the provider speaks it, since nothing is lost there.
 * @throws GatewayError `provider_not_connected` when the provider speaks no format that this one can reach.
 */
export function chooseLane(format: ClientFormat, provider: Provider): Lane {
  if (provider.chatPaths[format] !== undefined) return { kind: 'same-format', format };
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} does not speak ${format}.`,
  });
}
