import 'reflect-metadata';
import { credentialChanged } from '@gateway/contracts';
import { runService } from '@gateway/messaging';
import { loadConfig } from './config.ts';
import { createVaultDatabase } from './persistence/vault-database.ts';
import { ProviderVaultModule } from './provider-vault.module.ts';

const config = loadConfig();
const database = createVaultDatabase({ url: config.VAULT_DATABASE_URL });

await runService({
  name: 'provider-vault',
  config,
  ready: async () => ({ database: await database.isUp() }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'the database is not there yet'),
    });
    const openings = metrics.counter({
      name: 'vault_credential_openings_total',
      help: 'Credentials that gateways asked for.',
      labels: ['outcome'],
    });
    return ProviderVaultModule.with({
      database,
      keyRing: config.keyRing,
      countOpening: (outcome) => openings.inc({ outcome }),
      announceCredentialChange: (change) => messaging.broadcast(credentialChanged, change),
    });
  },
});
