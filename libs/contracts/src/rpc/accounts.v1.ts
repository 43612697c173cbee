import { z } from 'zod';
import { base64, id, idempotency, replayed } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';
import { createdApiKey, playgroundKeyBody } from '../api/api-key.ts';
import { account, accountDeletion, updateAccountBody } from '../api/account.ts';

/** Creates an account, or finds the one already there by that name. */
export const createAccount = defineRpc({
  subject: 'account.create-account.v1',
  server: 'account',
  callers: ['operator'],
  deadlineMs: 5_000,
  request: z.object({ name: z.string().min(1).max(200), isDemo: z.boolean().default(false) }),
  reply: z.object({ accountId: id, created: z.boolean() }),
});

/** Makes the account of a person, or finds it. A subject means nothing without its issuer. */
export const registerAccount = defineRpc({
  subject: 'account.register-account.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 5_000,
  request: z.object({
    issuer: z.string().min(1).max(2_048),
    subject: z.string().min(1).max(255),
    /** What a new account is called; it gets a name of ours if there is none. */
    name: z.string().min(1).max(200).nullable(),
  }),
  reply: z.object({ accountId: id, personId: id, created: z.boolean() }),
});

/** Lets a person act for an account that is there already. For whoever operates the suite. */
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

/** Makes a short-lived API key for the dashboard's playground. The secret comes sealed, as with `createKey`. */
export const createPlaygroundKey = defineRpc({
  subject: 'account.create-playground-key.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 5_000,
  request: z.object({
    accountId: id,
    body: playgroundKeyBody.default({}),
    recipientPublicKey: base64,
    ...idempotency,
  }),
  reply: z.object({ key: createdApiKey.omit({ key: true }), sealedSecret: base64, replayed }),
});

const common = { server: 'account', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;

/** Throws `not_found` for an account that is not there. */
export const getAccount = defineRpc({
  ...common,
  callers: ['edge-gateway', 'worker'],
  subject: 'account.get-account.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ account }),
});

/** Changes an account's profile and policy. Throws `not_found` for an account that is not there. */
export const updateAccount = defineRpc({
  ...common,
  subject: 'account.update-account.v1',
  request: z.object({ accountId: id, body: updateAccountBody }),
  reply: z.object({ account }),
});

/**
 * Tells that a credential of the account was saved or deleted, so that its epoch grows: gateways that the vault's broadcast
 * did not reach see it. Throws `not_found` for an account that is not there.
 */
export const noteCredentialChange = defineRpc({
  ...common,
  callers: ['provider-vault'],
  subject: 'account.note-credential-change.v1',
  request: z.object({ accountId: id }),
  reply: z.object({}),
});

/**
 * Deletes an account: what the account service has of it when this is answered, the rest step by step. Asked again it
 * answers the same receipt. Throws `not_found` for an account that never was.
 */
export const deleteAccount = defineRpc({
  subject: 'account.delete-account.v1',
  server: 'account',
  callers: ['edge-gateway', 'operator'],
  deadlineMs: 10_000,
  request: z.object({ accountId: id }),
  reply: z.object({ deletion: accountDeletion }),
});

/** Null for a deletion that never was. */
export const getAccountDeletion = defineRpc({
  subject: 'account.get-account-deletion.v1',
  server: 'account',
  callers: ['edge-gateway', 'operator'],
  deadlineMs: 5_000,
  request: z.object({ deletionId: id }),
  reply: z.object({ deletion: accountDeletion.nullable() }),
});

/**
 * Deletes what is known of an account's requests, and from then on drops events of it that come late. Large logs take
 * several calls: it is asked until `isDone`. Asked once more it finds nothing, and changes nothing.
 */
export const forgetAccountRequests = defineRpc({
  subject: 'worker.forget-account.v1',
  server: 'worker',
  callers: ['account'],
  deadlineMs: 25_000,
  request: z.object({ accountId: id }),
  reply: z.object({ isDone: z.boolean() }),
});
