// `npm run k8s:prepare [-- --data-dir DIR]` writes the Secrets for k8s/overlays/dev.
// The command derives the Secrets from the RPC contracts and the stack's secrets.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contractTable } from '@gateway/contracts';
import { openDataDir, writePrivateFile } from '../stack/data-dir.ts';
import { databaseOwners } from '../stack/databases.ts';
import { renderKubernetesSecrets } from '../stack/kubernetes-secrets.ts';
import { natsUsers } from '../stack/nats-config.ts';
import { redisUsers } from '../stack/redis-acl.ts';
import { root } from '../stack/root.ts';
import { loadSecrets } from '../stack/secrets.ts';

const { values: flags } = parseArgs({
  options: { 'data-dir': { type: 'string', default: join(root, '.data') } },
});
const dataDir = openDataDir(resolve(flags['data-dir']));
const secrets = loadSecrets(dataDir, { roles: databaseOwners, natsUsers, redisUsers });
const file = join(dataDir.home('kubernetes'), 'secrets.json');
const list = { apiVersion: 'v1', kind: 'List', items: renderKubernetesSecrets(secrets, contractTable) };
writePrivateFile(file, `${JSON.stringify(list, null, 2)}\n`);
console.log(`Wrote ${file}. Next: kubectl apply -n agent-gateway-dev -f ${file}`);
