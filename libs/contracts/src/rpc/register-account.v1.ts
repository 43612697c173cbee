import { z } from 'zod';
import { createdApiKey, playgroundKeyBody } from '../api/api-key.ts';
import { base64, id } from '../common.ts';
import { defineRpc } from '../define.ts';
import { idempotency, replayed } from '../idempotency.ts';

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
