import 'reflect-metadata';
import { accountShare } from '@gateway/messaging';
import { runService } from '@gateway/messaging/run-service';
import { watchPool } from '@gateway/observability';
import { loadConfig } from './config.ts';
import { createKeyRing } from './encryption/key-ring.ts';
import { Enrolment } from './keys/enrolment.ts';
import { KeyVersions } from './keys/key-versions.ts';
import { SealingKeys } from './keys/sealing-keys.ts';
import { createVaultDatabase } from './persistence/vault-database.ts';
import { ProviderVaultModule } from './provider-vault.module.ts';

const config = loadConfig();
const keyRing = createKeyRing({
  local: config.VAULT_KEK ?? config.VAULT_KEK_FILE,
  kms: config.VAULT_KMS_KEYS,
  kmsEndpoint: config.VAULT_KMS_ENDPOINT,
});
const database = createVaultDatabase({ url: config.VAULT_DATABASE_URL });
const keyVersions = new KeyVersions(database);
const sealingKeys = new SealingKeys(keyRing);
let enrolment: Enrolment | undefined;

await runService({
  name: 'provider-vault',
  config,
  // The limit prevents an account that changes many credentials from using more than one processor.
  accountShare: { ...accountShare, slotsPerAccount: 1 },
  ready: async () => ({ database: await database.isUp(), keys: enrolment?.isComplete ?? false }),
  createModule: async ({ messaging, logger, metrics }) => {
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'database unavailable, retrying'),
    });
    watchPool(metrics, () => database.poolUse());
    const instanceId = config.INSTANCE_ID;
    const onFailure = (error: unknown) =>
      logger.warn({ err: error }, 'registering the keys of this replica failed');
    enrolment = await Enrolment.begin({ instanceId, keyRing, keyVersions, sealingKeys, onFailure });
    return ProviderVaultModule.forRoot({
      ...{ database, keyRing, keyVersions, sealingKeys, enrolment },
      ...{ messaging, logger, metrics },
    });
  },
});
