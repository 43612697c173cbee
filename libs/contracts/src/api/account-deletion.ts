import { z } from 'zod';
import { id, timestamp } from '../common.ts';

const status = z.enum(['pending', 'done']);

/** The receipt of an account's deletion: what is deleted already, and what still is to be. It names nobody. */
export const accountDeletion = z.object({
  /** Of the deletion, not of the account. Whoever knows it may read the receipt. */
  id,
  object: z.literal('account.deletion'),
  /** `done` once every step is. From the first answer on no key and no session of the account works. */
  status,
  requested_at: timestamp,
  completed_at: timestamp.nullable(),
  /** In their order. Each is tried until it is done. */
  steps: z.array(
    z.object({
      /** Whose data it deletes. */
      service: z.string(),
      status,
      completed_at: timestamp.nullable(),
    }),
  ),
});
export type AccountDeletion = z.infer<typeof accountDeletion>;
