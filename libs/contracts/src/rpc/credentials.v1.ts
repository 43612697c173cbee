import { z } from 'zod';
import { additionalKeysMax } from '../api/provider-connection.ts';
import { byActor } from '../base/actor.ts';
import { base64, count, id, timestamp } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';

const common = { server: 'provider-vault', callers: ['edge-gateway'], deadlineMs: interactiveMs } as const;
const provider = z.string().min(1).max(64);

/** The fields of a stored credential that are safe to display. A summary can be read without decryption. */
export const credentialSummary = z.object({
  provider,
  /**
   * An ellipsis, followed by the last four characters of the credential. Null if the credential
   * is too short to show any character.
   */
  hint: z.string().nullable(),
  /**
   * Number of additional API keys. The main API key, which the hint shows, is not counted. Provider vaults of
   * the previous release omit `additionalKeys`.
   */
  additionalKeys: count.default(0),
  /** The base URL for calls to the provider. Null means the provider's default address. */
  baseUrl: z.string().nullable(),
  createdAt: timestamp,
  rotatedAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  lastError: z.string().nullable(),
  /** Whether the provider has accepted the credential, and has not rejected it since. */
  verified: z.boolean().default(false),
});
export type CredentialSummary = z.infer<typeof credentialSummary>;

/**
 * The decrypted fields of a credential. Decrypted fields exist only inside sealed boxes and in the memory of
 * the vault and the gateway. An empty key means a custom provider without authentication.
 */
export const credentialSecret = z.object({
  apiKey: z.string(),
  /** Additional API keys for the same provider and address. */
  additionalKeys: z.array(z.string()).max(additionalKeysMax).default([]),
});
export type CredentialSecret = z.output<typeof credentialSecret>;

/** The outcome of the call that checks a credential before the credential is stored. */
export const credentialCheck = z.object({
  /**
   * `unknown` means that the response proves nothing about the credential. With `failed`, the provider returned
   * the status of a temporary error. With `forbidden`, the egress guard rejected the provider's address.
   */
  outcome: z.enum(['accepted', 'refused', 'unknown', 'failed', 'unreachable', 'timeout', 'forbidden']),
  /** The HTTP status of the provider's response. Null if no response arrived. */
  status: z.int().min(100).max(999).nullable(),
  /**
   * The first additional key that the provider rejected, counted from 1, and the status of the rejection. Gateways
   * of the previous release omit this field.
   */
  refusedKey: z
    .object({ key: z.int().min(1).max(additionalKeysMax), status: z.int().min(100).max(999) })
    .optional(),
});
export type CredentialCheckResult = z.infer<typeof credentialCheck>;

/** Returns the X25519 public key that callers use to seal credentials. All vault replicas share this key pair. */
export const getSealingKey = defineRpc({
  ...common,
  subject: 'provider-vault.get-sealing-key.v1',
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/**
 * Stores or replaces a credential. `sealedSecret` is a sealed box that contains an `credentialSecret` as JSON.
 */
export const putCredential = defineRpc({
  ...common,
  subject: 'provider-vault.put-credential.v1',
  request: z.object({
    accountId: id,
    provider,
    baseUrl: z.string().nullable(),
    sealedSecret: base64,
    /** Gateways of the previous release omit this field. */
    check: credentialCheck.optional(),
    ...byActor,
  }),
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
  request: z.object({ accountId: id, provider, ...byActor }),
  reply: z.object({ deleted: z.boolean() }),
});

/**
 * Decrypts a credential for a single gateway process. The reply is sealed to the public key in the request.
 */
export const openCredential = defineRpc({
  ...common,
  subject: 'provider-vault.open-credential.v1',
  request: z.object({ accountId: id, provider, recipientPublicKey: base64 }),
  reply: z.object({
    sealedSecret: base64.nullable(),
    baseUrl: z.string().nullable(),
    /** Whether the provider rejected the credential, according to the latest report. */
    isFailing: z.boolean().default(false),
    /** The additional key that the provider rejected, counted from 1, according to the latest report. */
    refusedKey: z.int().min(1).nullable().default(null),
    /**
     * The version of the credential, which changes with every write of the credential. Provider vaults of the
     * previous release omit this field.
     */
    version: timestamp.nullable().default(null),
    /**
     * Whether the provider has accepted the credential. If false, the gateway reports the first successful
     * call. Provider vaults of the previous release omit this field and do not need the report.
     */
    isVerified: z.boolean().default(true),
  }),
});

/**
 * Reports whether a key of a credential works. The report contains the HTTP status of the provider's rejection, or
 * null if the key works again. The vault ignores a report about a version that was replaced.
 */
export const reportCredential = defineRpc({
  ...common,
  subject: 'provider-vault.report-credential.v1',
  request: z.object({
    accountId: id,
    provider,
    refusedStatus: z.int().min(400).max(599).nullable(),
    /** The position of the key in the credential. The main key is 0, and the first additional key is 1. */
    key: z.int().min(0).max(additionalKeysMax).default(0),
    /** The version that `openCredential` returned. Null or absent: a gateway that does not know the version. */
    version: timestamp.nullable().default(null),
  }),
  reply: z.object({ changed: z.boolean() }),
});

/**
 * Deletes every credential of a deleted account and returns the number of deleted credentials. The call is
 * idempotent. The vault does not delete its audit rows.
 */
export const forgetAccountCredentials = defineRpc({
  ...common,
  callers: ['account'],
  subject: 'provider-vault.forget-account.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ credentials: count }),
});

/**
 * Fields common to the calls that rotate the vault's key-encryption key. A rotation activates the
 * new key, re-encrypts all credentials, and then retires the old key.
 */
const rotation = { server: 'provider-vault', callers: ['operator'], deadlineMs: 10_000 } as const;
const keyVersion = z.int().min(1).max(999_999_999);

/**
 * Selects the version of the key-encryption key for new credentials. Null selects the highest version that
 * the replica has. The vault rejects the call with `invalid_field` if a running replica lacks the key. The
 * call is idempotent.
 */
export const activateKey = defineRpc({
  ...rotation,
  subject: 'provider-vault.activate-key.v1',
  request: z.object({ version: keyVersion.nullable() }),
  reply: z.object({ version: keyVersion, previous: keyVersion.nullable() }),
});

/** A cursor for the next batch of credentials. Credentials are processed in order of key version, then of id. */
const rewrapCursor = z.object({ keyVersion, id });

/**
 * Re-encrypts a batch of credentials with the current key. `left` is the number of credentials that still
 * need re-encryption.
 */
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

/** Deletes unused versions of the key-encryption key. */
export const retireKeys = defineRpc({
  ...rotation,
  subject: 'provider-vault.retire-keys.v1',
  request: z.object({}),
  reply: z.object({ retired: z.array(keyVersion), inUse: z.array(keyVersion) }),
});
