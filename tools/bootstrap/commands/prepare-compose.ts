// `npm run compose:prepare [-- --data-dir DIR]`: what deploy/compose.yaml needs, made from the contracts and the secrets.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contractTable } from '@gateway/contracts';
import { openDataDir, writePrivateFile } from '../stack/data-dir.ts';
import { databaseOwners, renderPostgresUrl } from '../stack/databases.ts';
import { natsUsers, renderNatsConfig } from '../stack/nats-config.ts';
import { root } from '../stack/root.ts';
import { loadSecrets } from '../stack/secrets.ts';

/** The loopback ports of deploy/compose.yaml. */
const published = { postgres: 15432, redis: 16379, nats: 14222 } as const;
/** Inside the container. */
const NATS_PORT = 4222;
const NATS_MONITOR_PORT = 8222;

const { values: flags } = parseArgs({
  options: { 'data-dir': { type: 'string', default: join(root, '.data') } },
});
const dataDir = openDataDir(resolve(flags['data-dir']));
const secrets = loadSecrets(dataDir, { roles: databaseOwners, natsUsers });
const directory = dataDir.home('compose');

function renderEnv(): string {
  const variables: Record<string, string> = {
    POSTGRES_PASSWORD: secrets.postgresAdmin,
    REDIS_PASSWORD: secrets.redis,
    REDIS_URL: `redis://:${secrets.redis}@127.0.0.1:${published.redis}`,
    NATS_URL: `nats://127.0.0.1:${published.nats}`,
    KEY_PEPPER: secrets.keyPepper,
    SESSION_SECRET: secrets.sessionSecret,
    ORIGINALS_KEY: secrets.originalsKey,
    VAULT_KEK: secrets.vaultKek,
  };
  for (const user of natsUsers) {
    variables[`NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`] = secrets.natsUsers[user] ?? '';
  }
  for (const owner of databaseOwners) {
    const password = secrets.roles[owner] ?? '';
    const name = owner.toUpperCase();
    variables[`${name}_PASSWORD`] = password;
    variables[`${name}_DATABASE_URL`] = renderPostgresUrl(published.postgres, owner, password, owner);
  }
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

writePrivateFile(join(directory, 'env'), renderEnv());
writePrivateFile(
  join(directory, 'nats-server.conf'),
  renderNatsConfig({
    host: '0.0.0.0',
    port: NATS_PORT,
    monitorPort: NATS_MONITOR_PORT,
    passwords: secrets.natsUsers,
    contracts: contractTable,
  }),
);
console.log(`Wrote ${directory}. Next: the commands at the top of deploy/compose.yaml.`);
