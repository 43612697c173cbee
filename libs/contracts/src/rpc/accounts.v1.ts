import { z } from 'zod';
import { byActor, fromOrigin } from '../base/actor.ts';
import { base64, id, idempotency, replayed } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';
import { createdApiKey, playgroundKeyBody } from '../api/api-key.ts';
import { account, accountDeletion, accountPerson, accountPolicy, updateAccountBody } from '../api/account.ts';
import { allKeyScopes, keyScopes } from '../api/account.ts';

/** Creates an account, or returns the account that an operator already created with the given name. */
export const createAccount = defineRpc({
  subject: 'account.create-account.v1',
  server: 'account',
  callers: ['operator'],
  deadlineMs: 5_000,
  request: z.object({ name: z.string().min(1).max(200), isDemo: z.boolean().default(false) }),
  reply: z.object({ accountId: id, created: z.boolean() }),
});

/**
 * Creates an account for a person, or returns the person's existing account. A subject is unique only within
 * its identity issuer.
 */
export const registerAccount = defineRpc({
  subject: 'account.register-account.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: interactiveMs,
  request: z.object({
    issuer: z.string().min(1).max(2_048),
    subject: z.string().min(1).max(255),
    /** Name for a new account. If the name is null, the account service chooses a name. */
    name: z.string().min(1).max(200).nullable(),
    ...fromOrigin,
  }),
  reply: z.object({ accountId: id, personId: id, created: z.boolean() }),
});

/** Gives a person access to an existing account. Only operator commands call this contract. */
export const attachPerson = defineRpc({
  subject: 'account.attach-person.v1',
  server: 'account',
  callers: ['operator'],
  deadlineMs: 5_000,
  request: z.object({
    accountId: id,
    issuer: z.string().min(1).max(2_048),
    subject: z.string().min(1).max(255),
  }),
  reply: z.object({ personId: id }),
});

/**
 * Creates a short-lived API key for the dashboard playground. The secret is returned in a sealed box, as in
 * `createKey`.
 */
export const createPlaygroundKey = defineRpc({
  subject: 'account.create-playground-key.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: interactiveMs,
  request: z.object({
    accountId: id,
    body: playgroundKeyBody.default({}),
    recipientPublicKey: base64,
    ...idempotency,
    ...byActor,
  }),
  reply: z.object({ key: createdApiKey.omit({ key: true }), sealedSecret: base64, replayed }),
});

const common = { server: 'account', callers: ['edge-gateway'], deadlineMs: interactiveMs } as const;

/**
 * Account services from the previous release omit `default_key_scopes`. Remove the default value of this
 * field in the next release.
 */
const accountReply = z.object({
  account: account.extend({
    policy: accountPolicy.extend({ default_key_scopes: keyScopes.default([...allKeyScopes]) }),
  }),
});

/**
 * Reads an account. If `personId` belongs to the embedded identity service, the reply also describes that
 * person's login. Throws `not_found` for an unknown account.
 */
export const getAccount = defineRpc({
  ...common,
  callers: ['edge-gateway', 'worker'],
  subject: 'account.get-account.v1',
  request: z.object({ accountId: id, personId: id.nullable().default(null) }),
  reply: accountReply.extend({ person: accountPerson.nullable().default(null) }),
});

/**
 * Changes an account's profile and policy. Throws `not_found` for an unknown account. Throws `grant_exceeds_key`
 * if a change would give API keys a higher limit or more scopes than the calling API key has.
 */
export const updateAccount = defineRpc({
  ...common,
  subject: 'account.update-account.v1',
  request: z.object({ accountId: id, body: updateAccountBody, ...byActor }),
  reply: accountReply,
});

/**
 * Reports that one of the account's credentials was saved or deleted. After the call, the account service
 * increments the account's epoch. Gateways that missed the vault's broadcast detect the change from the
 * epoch. Throws `not_found` for an unknown account.
 */
export const noteCredentialChange = defineRpc({
  ...common,
  callers: ['provider-vault'],
  subject: 'account.note-credential-change.v1',
  request: z.object({ accountId: id }),
  reply: z.object({}),
});

/**
 * Deletes an account. Before the account service replies, it deletes the account's data in its own database.
 * All other services delete the account's data in the background. A repeated call returns the same receipt as
 * the first call. Throws `not_found` for an unknown account.
 */
export const deleteAccount = defineRpc({
  subject: 'account.delete-account.v1',
  server: 'account',
  callers: ['edge-gateway', 'operator'],
  deadlineMs: 10_000,
  request: z.object({ accountId: id, ...byActor }),
  reply: z.object({ deletion: accountDeletion }),
});

/** Reads the receipt for an account deletion. Returns null if no account deletion has this id. */
export const getAccountDeletion = defineRpc({
  subject: 'account.get-account-deletion.v1',
  server: 'account',
  callers: ['edge-gateway', 'operator'],
  deadlineMs: interactiveMs,
  request: z.object({ deletionId: id }),
  reply: z.object({ deletion: accountDeletion.nullable() }),
});

/**
 * Deletes the Redis keys of a deleted account from a service's Redis servers. Each call reads a bounded
 * part of the key space and returns the cursor for the next call. A null cursor means that no Redis keys of
 * the account are left. Calls are idempotent.
 */
const forgetKeys = {
  callers: ['account'],
  deadlineMs: 10_000,
  request: z.object({
    accountId: id,
    /** The `cursor` from the previous reply. Null means the beginning of the key space. */
    cursor: z.string().max(64).nullable(),
  }),
  reply: z.object({ cursor: z.string().max(64).nullable() }),
} as const;

/**
 * Deletes the gateways' Redis keys, which store conversation records, chosen models, observations, rate
 * limit windows and budgets.
 */
export const forgetAccountMemos = defineRpc({
  ...forgetKeys,
  subject: 'edge-gateway.forget-account.v1',
  server: 'edge-gateway',
});

/** Deletes the compressor's Redis keys, which store token counts and the texts that markers replaced. */
export const forgetAccountOriginals = defineRpc({
  ...forgetKeys,
  subject: 'compressor.forget-account.v1',
  server: 'compressor',
});

/**
 * Deletes the data about an account's requests, and drops request events that arrive later. Several calls are
 * needed for a large request log. Repeat the call until `isDone` is true. The call is idempotent.
 */
export const forgetAccountRequests = defineRpc({
  subject: 'worker.forget-account.v1',
  server: 'worker',
  callers: ['account'],
  deadlineMs: 25_000,
  request: z.object({ accountId: id }),
  reply: z.object({ isDone: z.boolean() }),
});
