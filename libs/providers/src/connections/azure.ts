import { refuseField } from './connection-fault.ts';
import type { ConnectionFields, ConnectionShape } from './connection-fields.ts';

/** `2024-10-21`, `2025-04-01-preview`; `preview` and `latest` of the newer API. */
const apiVersion = /^(\d{4}-\d{2}-\d{2}(-preview)?|preview|latest|v1)$/;

/**
 * A resource of Azure's is an address of its own. Of the resource alone, the API without versions is called
 * (`/openai/v1`), or, with `api_version`, the older one, where the model is the name of a deployment and stands in the
 * path. Any other address (`…/models`, one deployment's) is taken as it is.
 * https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle
 */
export const azureConnection: ConnectionShape = {
  required: ['api_key', 'base_url'],
  optional: ['api_version'],
  resolve: (fields) => ({ credential: fields.api_key ?? '', baseUrl: resolveAddress(fields) }),
};

function resolveAddress({ base_url: base, api_version: version }: ConnectionFields): string {
  if (version !== undefined && !apiVersion.test(version))
    throw refuseField('api_version', 'a version of the API');
  const url = new URL(base ?? '');
  const path = url.pathname.replace(/\/+$/, '');
  const isResource = path === '' || path === '/openai';
  url.pathname = isResource ? (version === undefined ? '/openai/v1' : '/openai/deployments/{model}') : path;
  if (version !== undefined) url.searchParams.set('api-version', version);
  return url.href;
}
