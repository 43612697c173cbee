import type { UpdatePreferencesBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ModelCatalog } from '@gateway/model-catalog';
import { findProvider, providerNames } from '@gateway/providers';

/**
 * Throws `invalid_field` for an allowed provider that there is not, for a fallback that no chat request could be sent to, and
 * for either named twice. Models that the catalogue does not have yet pass behind a known provider, as in a request.
 */
export function requireKnownNames(
  { allowed_providers, fallbacks }: UpdatePreferencesBody,
  catalog: Pick<ModelCatalog, 'find' | 'providersOf'>,
): void {
  for (const [index, name] of (allowed_providers ?? []).entries()) {
    const param = `allowed_providers[${index}]`;
    if (findProvider(name) === undefined)
      throw invalid(param, `The provider "${name}" is not known. It may be: ${providerNames.join(', ')}.`);
    if (allowed_providers?.indexOf(name) !== index) throw invalid(param, `"${name}" is named twice.`);
  }
  for (const [index, model] of (fallbacks ?? []).entries()) {
    const param = `fallbacks[${index}]`;
    if (!isChatModel(model, catalog))
      throw invalid(
        param,
        `"${model}" is no chat model. Write <provider>/<model>, or a name of GET /v1/models.`,
      );
    if (fallbacks?.indexOf(model) !== index) throw invalid(param, `"${model}" is named twice.`);
  }
}

function isChatModel(model: string, catalog: Pick<ModelCatalog, 'find' | 'providersOf'>): boolean {
  const slash = model.indexOf('/');
  const provider = slash > 0 ? findProvider(model.slice(0, slash)) : undefined;
  if (provider === undefined) return catalog.providersOf(model, 'chat').length > 0;
  const modelId = model.slice(slash + 1);
  const known = catalog.find(provider.name, modelId);
  return modelId.trim() !== '' && (known === undefined || known.kind === 'chat');
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_field', { param, message });
}
