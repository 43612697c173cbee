import { z } from 'zod';
import { additionalKeysMax } from '../api/provider-connection.ts';
import { base64, count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'provider-vault', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
const provider = z.string().min(1).max(64);

/** The visible facts about a stored credential. Reading them does not decrypt it. */
export const credentialSummary = z.object({
  provider,
  /** An ellipsis and the last four characters; null if the credential is too short to show any. */
  hint: z.string().nullable(),
  /**
   * Number of keys in addition to the one shown by the hint. The default supports a vault of the previous
   * release.
   */
  additionalKeys: count.default(0),
  /** Null: the provider's default address. */
  baseUrl: z.string().nullable(),
  createdAt: timestamp,
  rotatedAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  lastError: z.string().nullable(),
});
export type CredentialSummary = z.infer<typeof credentialSummary>;

/**
 * The decrypted fields of a credential. They exist only inside sealed boxes and in the memory of the vault
 * and the gateway. An empty key belongs to a custom provider without authentication.
 */
export const credentialSecret = z.object({
  apiKey: z.string(),
  /** Additional keys for the same provider and address. */
  additionalKeys: z.array(z.string()).max(additionalKeysMax).default([]),
});
export type CredentialSecret = z.output<typeof credentialSecret>;

/** The X25519 public key for sealing credentials before they are sent. All replicas of the vault share it. */
export const getSealingKey = defineRpc({
  ...common,
  subject: 'provider-vault.get-sealing-key.v1',
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/**
 * Stores or replaces a credential. `sealedSecret` is a sealed box around the JSON of a `credentialSecret`.
 */
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

/** Decrypts a credential for one gateway process. The reply is sealed to the public key in the request. */
export const openCredential = defineRpc({
  ...common,
  subject: 'provider-vault.open-credential.v1',
  request: z.object({ accountId: id, provider, recipientPublicKey: base64 }),
  reply: z.object({
    sealedSecret: base64.nullable(),
    baseUrl: z.string().nullable(),
    /** Whether the provider rejected the credential, according to the latest report. */
    isFailing: z.boolean().default(false),
  }),
});

/**
 * Reports the state of a credential: the status with which the provider rejected it, or null when it works
 * again.
 */
export const reportCredential = defineRpc({
  ...common,
  subject: 'provider-vault.report-credential.v1',
  request: z.object({ accountId: id, provider, refusedStatus: z.int().min(400).max(599).nullable() }),
  reply: z.object({ changed: z.boolean() }),
});

/** Deletes every credential of a deleted account and returns their number. Idempotent. Audit rows remain. */
export const forgetAccountCredentials = defineRpc({
  ...common,
  callers: ['account'],
  subject: 'provider-vault.forget-account.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ credentials: count }),
});

/** Rotation of the vault's key-encryption key in steps: activate, re-encrypt until none is left, retire. */
const rotation = { server: 'provider-vault', callers: ['operator'], deadlineMs: 10_000 } as const;
const keyVersion = z.int().min(1).max(999_999_999);

/**
 * Encrypts with this version from now on; null means the highest version of the replica. Rejected
 * (`invalid_field`) if a running replica lacks the key. Idempotent.
 */
export const activateKey = defineRpc({
  ...rotation,
  subject: 'provider-vault.activate-key.v1',
  request: z.object({ version: keyVersion.nullable() }),
  reply: z.object({ version: keyVersion, previous: keyVersion.nullable() }),
});

/** A position in the order of the work: by key version, then by id. */
const rewrapCursor = z.object({ keyVersion, id });

/** Encrypts a batch of credentials again with the current key. `left` counts the remaining ones. */
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

/** Deletes the key versions that no credential uses. */
export const retireKeys = defineRpc({
  ...rotation,
  subject: 'provider-vault.retire-keys.v1',
  request: z.object({}),
  reply: z.object({ retired: z.array(keyVersion), inUse: z.array(keyVersion) }),
});
