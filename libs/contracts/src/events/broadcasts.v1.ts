import { z } from 'zod';
import { id } from '../base/common.ts';
import { defineBroadcast } from '../base/define.ts';

/** A key was created, changed or revoked: what is cached of it is stale. A revoked one ends its open streams. */
export const keyChanged = defineBroadcast({
  subject: 'account.key-changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  // The default is for an account service of the release before, and goes with the next one.
  message: z.object({ accountId: id, keyId: id, epoch: z.int(), revoked: z.boolean().default(false) }),
});

/**
 * The account's policy, preferences or model toggles changed, or the account as a whole: what is cached of any of its keys
 * is stale.
 */
export const accountChanged = defineBroadcast({
  subject: 'account.account-changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  message: z.object({ accountId: id, epoch: z.int(), deleted: z.boolean().default(false) }),
});

/** Sessions of a person ended, or the person's account changed: what is cached of any of them is stale. */
export const loginSessionChanged = defineBroadcast({
  subject: 'account.session-changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  message: z.object({ issuer: z.string(), subject: z.string() }),
});

/** A provider credential was saved or deleted. */
export const credentialChanged = defineBroadcast({
  subject: 'provider-vault.credential-changed.v1',
  publisher: 'provider-vault',
  listeners: ['edge-gateway'],
  message: z.object({ accountId: id, provider: z.string() }),
});

/** Batches of request events are in Postgres: the spool may let go of them. */
export const batchesCommitted = defineBroadcast({
  subject: 'worker.batches-committed.v1',
  publisher: 'worker',
  listeners: ['edge-gateway'],
  message: z.object({ batchIds: z.array(z.string().max(200)).max(1000) }),
});

/**
 * What a gateway found out of a provider under one credential of an account: its breaker opened or closed, or the provider
 * asked for a pause. Told when it happens; nobody asks for it.
 */
export const backendChanged = defineBroadcast({
  subject: 'edge-gateway.backend-changed.v1',
  publisher: 'edge-gateway',
  listeners: ['edge-gateway'],
  message: z.object({
    accountId: id,
    provider: z.string().max(64),
    /** Position of the credential among those of the account for the provider. */
    credential: z.int().min(0).max(63),
    news: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('opened') }),
      z.object({ kind: z.literal('closed') }),
      z.object({ kind: z.literal('cooling'), forMs: z.number().min(0).max(600_000) }),
    ]),
  }),
});
