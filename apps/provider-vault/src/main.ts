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
  createModule: async ({ messaging, logger }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'the database is not there yet'),
    });
    return ProviderVaultModule.with({
      database,
      keyRing: config.keyRing,
      announceCredentialChange: (change) => messaging.broadcast(credentialChanged, change),
    });
  },
});
