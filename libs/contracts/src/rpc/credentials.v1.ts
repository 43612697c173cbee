import { z } from 'zod';
import { additionalKeysMax } from '../api/provider-connection.ts';
import { base64, count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'provider-vault', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
const provider = z.string().min(1).max(64);

/** What is known of a stored credential without opening it. */
export const credentialSummary = z.object({
  provider,
  /** The last four characters, behind an ellipsis; null for a credential too short to show any of. */
  hint: z.string().nullable(),
  /** How many keys there are beside the one that the hint is of. The default is for a vault of the release before. */
  additionalKeys: count.default(0),
  /** Null means the provider's own address. */
  baseUrl: z.string().nullable(),
  createdAt: timestamp,
  rotatedAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  lastError: z.string().nullable(),
});
export type CredentialSummary = z.infer<typeof credentialSummary>;

/**
 * The fields of a credential, opened. It exists inside sealed boxes and in the memory of vault and edge alone. An empty
 * key is that of a provider of one's own that asks for none.
 */
export const credentialSecret = z.object({
  apiKey: z.string(),
  /** Further keys for the same provider and the same address. */
  additionalKeys: z.array(z.string()).max(additionalKeysMax).default([]),
});
export type CredentialSecret = z.output<typeof credentialSecret>;

/** The X25519 public key to which credentials on their way in are sealed. All replicas of the vault share it. */
export const getSealingKey = defineRpc({
  ...common,
  subject: 'provider-vault.get-sealing-key.v1',
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/** Stores a credential, or replaces it. `sealedSecret` is a sealed box around the JSON of a `credentialSecret`. */
export const putCredential = defineRpc({
  ...common,
  subject: 'provider-vault.put-credential.v1',
  request: z.object({ accountId: id, provider, baseUrl: z.string().nullable(), sealedSecret: base64 }),
  reply: z.object({ credential: credentialSummary }),
});

export const listCredentials = defineRpc({
  ...common,
  subject: 'provider-vault.list-credentials.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ credentials: z.array(credentialSummary) }),
});

export const deleteCredential = defineRpc({
  ...common,
  subject: 'provider-vault.delete-credential.v1',
  request: z.object({ accountId: id, provider }),
  reply: z.object({ deleted: z.boolean() }),
});

/** Opens a credential for one gateway process: the reply is sealed to the public key that it sent. */
export const openCredential = defineRpc({
  ...common,
  subject: 'provider-vault.open-credential.v1',
  request: z.object({ accountId: id, provider, recipientPublicKey: base64 }),
  reply: z.object({
    sealedSecret: base64.nullable(),
    baseUrl: z.string().nullable(),
    /** The provider refused it when it was last said how it fares. */
    isFailing: z.boolean().default(false),
  }),
});

/** Says how a credential fares: the status with which its provider refused it, or null when it was taken again. */
export const reportCredential = defineRpc({
  ...common,
  subject: 'provider-vault.report-credential.v1',
  request: z.object({ accountId: id, provider, refusedStatus: z.int().min(400).max(599).nullable() }),
  reply: z.object({ changed: z.boolean() }),
});

/**
 * Deletes every credential of an account that is being deleted, and says how many there were. It may be asked again:
 * then there are none. Audit rows stay.
 */
export const forgetAccountCredentials = defineRpc({
  ...common,
  callers: ['account'],
  subject: 'provider-vault.forget-account.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ credentials: count }),
});

/** Rotation of the vault's key-encryption key, step by step: activate, re-wrap until nothing is left, retire. */
const rotation = { server: 'provider-vault', callers: ['operator'], deadlineMs: 10_000 } as const;
const keyVersion = z.int().min(1).max(999_999_999);

/**
 * Writes with this version from now on; null is the highest that the replica holds. Refused (`invalid_field`) while a
 * running replica lacks the key. Doing it again changes nothing.
 */
export const activateKey = defineRpc({
  ...rotation,
  subject: 'provider-vault.activate-key.v1',
  request: z.object({ version: keyVersion.nullable() }),
  reply: z.object({ version: keyVersion, previous: keyVersion.nullable() }),
});

/** A place in the order of the work: by key version, then by id. */
const rewrapCursor = z.object({ keyVersion, id });

/** Closes a batch of credentials anew under the present key. `left` counts those that are not under it yet. */
export const rewrapCredentials = defineRpc({
  ...rotation,
  subject: 'provider-vault.rewrap-credentials.v1',
  request: z.object({ after: rewrapCursor.nullable(), rowsMax: z.int().min(1).max(500) }),
  reply: z.object({
    rewrapped: count,
    failed: z.array(rewrapCursor),
    next: rewrapCursor.nullable(),
    left: count,
  }),
});

/** Drops the versions that no credential needs any more. */
export const retireKeys = defineRpc({
  ...rotation,
  subject: 'provider-vault.retire-keys.v1',
  request: z.object({}),
  reply: z.object({ retired: z.array(keyVersion), inUse: z.array(keyVersion) }),
});
