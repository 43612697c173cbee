import { missField, refuseField } from '../provider/connection-fields.ts';
import type { ConnectionFields, ConnectionShape } from '../provider/connection-fields.ts';
import { isSigningKey, renderServiceAccount } from '../credentials/service-account.ts';
import { createHostedCredential, renderHostedCredential } from '../credentials/hosted-credential.ts';

/**
 * Matches Azure API versions, which are dates such as `2024-10-21` or `2025-04-01-preview`. The newer Azure
 * API accepts `preview`, `latest` and `v1`.
 */
const apiVersion = /^(\d{4}-\d{2}-\d{2}(-preview)?|preview|latest|v1)$/;

/**
 * Builds the connection to Azure. Each Azure resource has a separate address. For a bare resource address,
 * the gateway calls the unversioned API (`/openai/v1`). If `api_version` is set, the gateway calls the older,
 * versioned Azure API. In the versioned API, the path contains a deployment name instead of a model name. An
 * address with a longer path (`…/models`, or a single deployment) is used unchanged. See
 * https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle
 */
export const azureConnection: ConnectionShape = {
  required: ['api_key', 'base_url'],
  optional: ['api_version'],
  resolve: (fields) => ({ credential: fields.api_key ?? '', baseUrl: resolveAzureAddress(fields) }),
};

function resolveAzureAddress({ base_url: base, api_version: version }: ConnectionFields): string {
  if (version !== undefined && !apiVersion.test(version))
    throw refuseField('api_version', 'an API version such as "2024-10-21", "preview" or "v1"');
  const url = new URL(base ?? '');
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  const isResource = path === '' || path === '/openai';
  url.pathname = isResource ? (version === undefined ? '/openai/v1' : '/openai/deployments/{model}') : path;
  if (version !== undefined) url.searchParams.set('api-version', version);
  return url.href;
}

/**
 * The region and the project name become part of a URL, so only the characters that normally occur in region
 * and project names are allowed.
 */
const regionName = /^[a-z]{2,24}(-[a-z]{2,24}\d{0,2})?$/;
const projectId = /^[a-z][a-z0-9-]{4,61}[a-z0-9]$|^\d{1,19}$/;

/**
 * A Vertex AI connection needs a service account or an access token, a project and a region. A service
 * account contains the name of its project. The default region is `global`.
 * See https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
 */
export const vertexConnection: ConnectionShape = {
  required: [],
  optional: ['api_key', 'service_account', 'project', 'region', 'base_url'],
  oneOf: [
    { required: ['api_key', 'project'], optional: [] },
    { required: ['service_account'], optional: ['project'] },
  ],
  resolve: (fields) => ({
    credential: resolveVertexCredential(fields),
    baseUrl: resolveVertexAddress(fields),
  }),
};

function resolveVertexCredential({ api_key: token, service_account: account }: ConnectionFields): string {
  if (account === undefined) {
    if (token === undefined) throw missField('api_key', 'vertex');
    return token;
  }
  if (token !== undefined) throw refuseField('api_key', 'absent when "service_account" is present');
  if (!isSigningKey(account.private_key))
    throw refuseField('service_account.private_key', 'an RSA private key in PEM format');
  return renderServiceAccount(account);
}

function resolveVertexAddress({ base_url: base, region = 'global', ...fields }: ConnectionFields): string {
  const project = fields.project ?? fields.service_account?.project_id;
  if (project === undefined) throw missField('project', 'vertex');
  if (!regionName.test(region)) throw refuseField('region', 'the name of a region, such as "europe-west4"');
  if (!projectId.test(project)) throw refuseField('project', 'a project id or a project number');
  const own = base?.replace(/(?<!\/)\/+$/, '') ?? `https://${vertexHostOf(region)}/v1beta1`;
  return `${own}/projects/${project}/locations/${region}`;
}

function vertexHostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  // Vertex AI's multi-region locations use a different host name pattern.
  return region === 'us' || region === 'eu'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}

/**
 * The credential of an Amazon Bedrock connection, which is either a Bedrock API key or an access key that
 * signs each request. The region is part of the credential.
 */
export const hostedConnection: ConnectionShape = {
  required: [],
  optional: ['api_key', 'access_key_id', 'secret_access_key', 'session_token', 'region', 'base_url'],
  oneOf: [
    { required: ['access_key_id', 'secret_access_key'], optional: ['session_token'] },
    { required: ['api_key'], optional: [] },
  ],
  resolve: (fields) => {
    refuseBoth(fields);
    return {
      credential: renderHostedCredential(createHostedCredential(fields)),
      baseUrl: fields.base_url ?? null,
    };
  },
};

/** Rejects an access key combined with an API key, because only one of the two credentials would be used. */
function refuseBoth(fields: ConnectionFields): void {
  if (fields.api_key === undefined) return;
  for (const name of ['access_key_id', 'secret_access_key', 'session_token'] as const) {
    if (fields[name] !== undefined) throw refuseField(name, 'absent when "api_key" is present');
  }
}
