import { GatewayError } from '@gateway/errors';
import type { ClientFormat } from '@gateway/interchange';
import { formatsOf, type Provider } from '@gateway/providers';
import type { Lane } from '../../../request/request.ts';

/**
 * Chooses the lane: the client's own format wherever the provider speaks it, since nothing is lost there; else the
 * format that the provider prefers.
 * @throws GatewayError `provider_not_connected` when the provider speaks no format of ours.
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
