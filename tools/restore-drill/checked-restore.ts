import { z } from 'zod';

/** The request that `check-restored` reads from standard input. */
export interface CheckRequest {
  readonly natsUrl: string;
  readonly user: string;
  readonly password: string;
  readonly vaultDatabaseUrl: string;
  /** An API key that must exist in the restored account service, or null if no API key is to be checked. */
  readonly apiKey: string | null;
}

export const checkedRestore = z.object({
  /** Number of credentials that were decrypted successfully. */
  opened: z.int(),
  failed: z.array(z.object({ accountId: z.string(), provider: z.string(), fault: z.string() })),
  isKeyKnown: z.boolean().nullable(),
});
export type CheckedRestore = z.infer<typeof checkedRestore>;
