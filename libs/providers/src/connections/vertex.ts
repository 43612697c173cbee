import { isSigningKey, renderServiceAccount } from '../google/service-account.ts';
import { missField, refuseField } from './connection-fault.ts';
import type { ConnectionFields, ConnectionShape } from './connection-fields.ts';

/** Both become part of an address: nothing but a region's and a project's own letters may get there. */
const regionName = /^[a-z]{2,24}(-[a-z]{2,24}\d{0,2})?$/;
const projectId = /^[a-z][a-z0-9-]{4,61}[a-z0-9]$|^\d{1,19}$/;

/**
 * A service account, or an access token, and the project and region that calls are of; a service account names its project. `global` is the region of who names none.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
 */
export const vertexConnection: ConnectionShape = {
  required: [],
  optional: ['api_key', 'service_account', 'project', 'region', 'base_url'],
  resolve: (fields) => ({ credential: resolveCredential(fields), baseUrl: resolveAddress(fields) }),
};

function resolveCredential({ api_key: token, service_account: account }: ConnectionFields): string {
  if (account === undefined) {
    if (token === undefined) throw missField('api_key', 'vertex');
    return token;
  }
  if (token !== undefined) throw refuseField('api_key', 'left out beside "service_account"');
  if (!isSigningKey(account.private_key))
    throw refuseField('service_account.private_key', 'an RSA key in PEM');
  return renderServiceAccount(account);
}

function resolveAddress({ base_url: base, region = 'global', ...fields }: ConnectionFields): string {
  const project = fields.project ?? fields.service_account?.project_id;
  if (project === undefined) throw missField('project', 'vertex');
  if (!regionName.test(region)) throw refuseField('region', 'the name of a region');
  if (!projectId.test(project)) throw refuseField('project', 'the id or the number of a project');
  const own = base?.replace(/\/+$/, '') ?? `https://${hostOf(region)}/v1beta1`;
  return `${own}/projects/${project}/locations/${region}`;
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  // Regions of more than one place have addresses of another kind.
  return region === 'us' || region === 'eu'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}
