import { z } from 'zod';
import { id } from '../common.ts';
import { defineRpc } from '../define.ts';

/** Who issued a session token, and to whom: a subject means nothing without its issuer. */
export const sessionName = z.object({
  issuer: z.string().min(1).max(2_048),
  subject: z.string().min(1).max(255),
  /** Null for an issuer whose sessions are not ours to revoke. */
  sessionId: id.nullable(),
});

/** Whose session it is. Both are null until the person has registered an account. */
export const resolvedSession = z.object({ accountId: id.nullable(), personId: id.nullable() });
export type ResolvedSession = z.infer<typeof resolvedSession>;

/** Looks up whose session a verified token is of. Null: the session was revoked, or never was. */
export const resolveSession = defineRpc({
  subject: 'account.resolve-session.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 2_000,
  request: sessionName,
  reply: z.object({ session: resolvedSession.nullable() }),
});
