import { z } from 'zod';

/** What `check-restored` is told, on its standard input. */
export interface CheckRequest {
  readonly natsUrl: string;
  readonly user: string;
  readonly password: string;
  readonly vaultDatabaseUrl: string;
  /** A key that the account service has to know; null when there is none to ask for. */
  readonly apiKey: string | null;
}

export const checkedRestore = z.object({
  /** Credentials that were opened: decrypted and authenticated. */
  opened: z.int(),
  failed: z.array(z.object({ accountId: z.string(), provider: z.string(), fault: z.string() })),
  isKeyKnown: z.boolean().nullable(),
});
export type CheckedRestore = z.infer<typeof checkedRestore>;
