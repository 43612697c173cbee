import { refuseField } from './connection-fault.ts';
import type { ConnectionFields, ConnectionShape } from './connection-fields.ts';

/** Both become part of an address: nothing but a region's and a project's own letters may get there. */
const regionName = /^[a-z]{2,24}(-[a-z]{2,24}\d{0,2})?$/;
const projectId = /^[a-z][a-z0-9-]{4,61}[a-z0-9]$|^\d{1,19}$/;

/**
 * An access token, and the project and region that its calls are of. `global` is the region of who names none.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
 */
export const vertexConnection: ConnectionShape = {
  required: ['api_key', 'project'],
  optional: ['region', 'base_url'],
  resolve: (fields) => ({ credential: fields.api_key ?? '', baseUrl: resolveAddress(fields) }),
};

function resolveAddress({ base_url: base, project = '', region = 'global' }: ConnectionFields): string {
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
