import { z } from 'zod';
import { accountDeletion } from '../api/account-deletion.ts';
import { id } from '../common.ts';
import { defineRpc } from '../define.ts';

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
