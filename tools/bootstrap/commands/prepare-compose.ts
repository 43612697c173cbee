// `npm run compose:prepare [-- --data-dir DIR]` writes the files that deploy/compose.yaml needs.
// The command generates the files from the RPC contracts and the secrets.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contractTable } from '@gateway/contracts';
import { makeServerCertificate } from '../stack/certificates.ts';
import { openDataDir, writePrivateFile } from '../stack/data-dir.ts';
import { databaseOwners, renderPostgresUrl } from '../stack/databases.ts';
import { natsUsers, renderNatsConfig } from '../stack/nats-config.ts';
import { redisUsers, renderRedisAcl } from '../stack/redis-acl.ts';
import { root } from '../stack/root.ts';
import { loadSecrets } from '../stack/secrets.ts';

/** The loopback ports that deploy/compose.yaml publishes. */
const published = { postgres: 15432, redis: 16379, 'redis-cache': 16380, nats: 14222 } as const;
const NATS_PORT = 4222;
const NATS_MONITOR_PORT = 8222;

const { values: flags } = parseArgs({
  options: { 'data-dir': { type: 'string', default: join(root, '.data') } },
});
const dataDir = openDataDir(resolve(flags['data-dir']));
const secrets = loadSecrets(dataDir, { roles: databaseOwners, natsUsers, redisUsers });
const directory = dataDir.home('compose');

const certificate = makeServerCertificate(join(directory, 'tls'), {
  dns: ['nats', 'localhost'],
  ip: ['127.0.0.1'],
});
/** The path of the generated files inside the NATS container. */
const tls = { certFile: '/etc/nats/tls/server.crt', keyFile: '/etc/nats/tls/server.key' };

function renderEnv(): string {
  const variables: Record<string, string> = {
    POSTGRES_PASSWORD: secrets.postgresAdmin,
    REDIS_PASSWORD: secrets.redis,
    REDIS_URL: `redis://:${secrets.redis}@127.0.0.1:${published.redis}`,
    REDIS_CACHE_URL: `redis://:${secrets.redis}@127.0.0.1:${published['redis-cache']}`,
    // The NATS address is a host name, because the client compares the certificate with a name.
    NATS_URL: `tls://localhost:${published.nats}`,
    // The path of the TLS certificate that `npm start` uses on this machine. Containers use a different path.
    NODE_EXTRA_CA_CERTS: certificate.caFile,
    KEY_PEPPER: secrets.keyPepper,
    SESSION_SECRET: secrets.sessionSecret,
    ORIGINALS_KEY: secrets.originalsKey,
    CONTENT_KEYS: secrets.contentKey,
    VAULT_KEK: secrets.vaultKek,
  };
  const nameOf = (user: string) => user.toUpperCase().replaceAll('-', '_');
  for (const user of natsUsers) variables[`NATS_PASSWORD_${nameOf(user)}`] = secrets.natsUsers[user] ?? '';
  for (const user of redisUsers) variables[`REDIS_PASSWORD_${nameOf(user)}`] = secrets.redisUsers[user] ?? '';
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
    tls,
    passwords: secrets.natsUsers,
    contracts: contractTable,
  }),
);
for (const server of ['queue', 'cache'] as const)
  writePrivateFile(
    join(directory, `redis-${server}.acl`),
    renderRedisAcl({ server, adminPassword: secrets.redis, passwords: secrets.redisUsers }),
  );
console.log(`Wrote ${directory}. Next: the commands at the top of deploy/compose.yaml.`);
