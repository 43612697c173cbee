import { z } from 'zod';
import { id } from '../common.ts';
import { defineRpc } from '../define.ts';

/** Creates an account, or finds the one already there by that name. */
export const createAccount = defineRpc({
  subject: 'account.create-account.v1',
  server: 'account',
  callers: ['operator'],
  deadlineMs: 5_000,
  request: z.object({ name: z.string().min(1).max(200), isDemo: z.boolean().default(false) }),
  reply: z.object({ accountId: id, created: z.boolean() }),
});
