import { z } from 'zod';
import { id } from '../base/common.ts';
import { defineBroadcast } from '../base/define.ts';

/**
 * Reports that an API key was created, changed or revoked, so cached data about the API key is stale. The
 * gateway closes open streams that use a revoked API key.
 */
export const keyChanged = defineBroadcast({
  subject: 'account.key-changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  // Account services from the previous release omit `revoked`. Remove the default value in the next release.
  message: z.object({ accountId: id, keyId: id, epoch: z.int(), revoked: z.boolean().default(false) }),
});

/**
 * Reports a change to an account, its policy, its preferences or its list of excluded models. Cached data
 * about all API keys of the account is stale.
 */
export const accountChanged = defineBroadcast({
  subject: 'account.account-changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway', 'worker'],
  message: z.object({ accountId: id, epoch: z.int(), deleted: z.boolean().default(false) }),
});

/**
 * Reports that a person's login sessions ended, or that the person's account changed. Cached data about the
 * person's login sessions is stale.
 */
export const loginSessionChanged = defineBroadcast({
  subject: 'account.session-changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  message: z.object({ issuer: z.string(), subject: z.string() }),
});

/** Reports that a provider credential was saved or deleted. */
export const credentialChanged = defineBroadcast({
  subject: 'provider-vault.credential-changed.v1',
  publisher: 'provider-vault',
  listeners: ['edge-gateway'],
  message: z.object({ accountId: id, provider: z.string() }),
});

/**
 * Reports that batches of request events are stored in Postgres. A report without batches is a sign of life. The timeline
 * identifies the history of the Postgres server (eight hexadecimal digits). A newer timeline means that a standby server was
 * promoted and may lack the newest commits. The gateway then sends its recent batches again.
 */
export const batchesCommitted = defineBroadcast({
  subject: 'worker.batches-committed.v1',
  publisher: 'worker',
  listeners: ['edge-gateway'],
  message: z.object({
    batchIds: z.array(z.string().max(200)).max(1000),
    // Workers from the previous release omit `timeline`. Remove the default value in the next release.
    timeline: z
      .string()
      .regex(/^[0-9A-F]{8}$/)
      .nullable()
      .default(null),
  }),
});

/**
 * A gateway's observation about a provider and one of an account's credentials. An observation reports
 * that the circuit breaker opened or closed, or that the provider requested a pause between calls. Gateways
 * send each observation immediately.
 */
export const backendChanged = defineBroadcast({
  subject: 'edge-gateway.backend-changed.v1',
  publisher: 'edge-gateway',
  listeners: ['edge-gateway'],
  message: z.object({
    accountId: id,
    provider: z.string().max(64),
    /** Position of the credential in the account's list of credentials for the provider. */
    credential: z.int().min(0).max(63),
    news: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('opened') }),
      z.object({ kind: z.literal('closed') }),
      z.object({ kind: z.literal('cooling'), forMs: z.number().min(0).max(600_000) }),
    ]),
  }),
});
