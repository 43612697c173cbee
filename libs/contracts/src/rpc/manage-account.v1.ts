import { z } from 'zod';
import { account, updateAccountBody } from '../api/account.ts';
import { id } from '../common.ts';
import { defineRpc } from '../define.ts';

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
