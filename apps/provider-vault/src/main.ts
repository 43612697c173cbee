import 'reflect-metadata';
import { credentialChanged, noteCredentialChange } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { runService, type ServiceParts } from '@gateway/messaging';
import { watchPool } from '@gateway/observability';
import { loadConfig } from './config.ts';
import { createKeyRing } from './domain/create-key-ring.ts';
import { Enrolment } from './domain/enrolment.ts';
import { SealingKeys } from './domain/sealing-keys.ts';
import { KeyVersions } from './persistence/key-versions.ts';
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
  ready: async () => ({ database: await database.isUp(), keys: enrolment?.isComplete ?? false }),
  createModule: async (parts) => {
    const { logger, messaging } = parts;
    await database.untilUp({
      onRetry: (attempt) => logger.warn({ attempt }, 'the database is not there yet'),
    });
    watchPool(parts.metrics, () => database.poolUse());
    const instanceId = config.INSTANCE_ID;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'the held keys could not be told');
    enrolment = await Enrolment.begin({ instanceId, keyRing, keyVersions, sealingKeys, onFailure });
    return ProviderVaultModule.with({
      database,
      keyRing,
      keyVersions,
      sealingKeys,
      enrolment,
      ...createCounters(parts),
      announceCredentialChange: (change) => {
        messaging.broadcast(credentialChanged, change);
        noteChange(change.accountId, parts);
      },
    });
  },
});

/** For gateways that the broadcast does not reach. Nothing waits for it: they ask again within ten seconds anyway. */
function noteChange(accountId: string, { messaging, logger }: ServiceParts): void {
  messaging.call(noteCredentialChange, { accountId }).catch((error: unknown) => {
    // An account that is being deleted has no epoch any more.
    if (error instanceof GatewayError && error.code === 'not_found') return;
    logger.warn({ err: error, account_id: accountId }, 'the account does not know of a changed credential');
  });
}

function createCounters({ metrics }: ServiceParts) {
  const openings = metrics.counter({
    name: 'vault_credential_openings_total',
    help: 'Credentials that gateways asked for.',
    labels: ['outcome'],
  });
  const rewrappings = metrics.counter({
    name: 'vault_credential_rewrappings_total',
    help: 'Credentials that a rotation of the key-encryption key came to.',
    labels: ['outcome'],
  });
  return {
    countOpening: (outcome: string) => openings.inc({ outcome }),
    countRewrapping: (outcome: string) => rewrappings.inc({ outcome }),
  };
}
