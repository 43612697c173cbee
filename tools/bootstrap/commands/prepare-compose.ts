// `npm run compose:prepare [-- --data-dir DIR]`: writes the files that deploy/compose.yaml needs. They are
// generated from the contracts and the secrets.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contractTable } from '@gateway/contracts';
import { makeServerCertificate } from '../stack/certificates.ts';
import { openDataDir, writePrivateFile } from '../stack/data-dir.ts';
import { databaseOwners, renderPostgresUrl } from '../stack/databases.ts';
import { natsUsers, renderNatsConfig } from '../stack/nats-config.ts';
import { root } from '../stack/root.ts';
import { loadSecrets } from '../stack/secrets.ts';

/** The loopback ports that deploy/compose.yaml publishes. */
const published = { postgres: 15432, redis: 16379, nats: 14222 } as const;
/** The path inside the container. */
const NATS_PORT = 4222;
const NATS_MONITOR_PORT = 8222;

const { values: flags } = parseArgs({
  options: { 'data-dir': { type: 'string', default: join(root, '.data') } },
});
const dataDir = openDataDir(resolve(flags['data-dir']));
const secrets = loadSecrets(dataDir, { roles: databaseOwners, natsUsers });
const directory = dataDir.home('compose');

const certificate = makeServerCertificate(join(directory, 'tls'), {
  dns: ['nats', 'localhost'],
  ip: ['127.0.0.1'],
});
/** The path inside the NATS container. */
const tls = { certFile: '/etc/nats/tls/server.crt', keyFile: '/etc/nats/tls/server.key' };

function renderEnv(): string {
  const variables: Record<string, string> = {
    POSTGRES_PASSWORD: secrets.postgresAdmin,
    REDIS_PASSWORD: secrets.redis,
    REDIS_URL: `redis://:${secrets.redis}@127.0.0.1:${published.redis}`,
    // A host name, because the client checks the certificate against a name and not only an address.
    NATS_URL: `tls://localhost:${published.nats}`,
    // For `npm start` on this machine. Containers use a different path.
    NODE_EXTRA_CA_CERTS: certificate.caFile,
    KEY_PEPPER: secrets.keyPepper,
    SESSION_SECRET: secrets.sessionSecret,
    ORIGINALS_KEY: secrets.originalsKey,
    CONTENT_KEYS: secrets.contentKey,
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
    tls,
    passwords: secrets.natsUsers,
    contracts: contractTable,
  }),
);
console.log(`Wrote ${directory}. Next: the commands at the top of deploy/compose.yaml.`);
