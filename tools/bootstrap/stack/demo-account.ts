import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { root } from './root.ts';

/** The data that `seed-demo` reads from standard input. */
export interface SeedRequest {
  readonly natsUrl: string;
  readonly user: string;
  readonly password: string;
  /** The API key from an earlier start, if any. The bootstrap reuses an API key that still exists. */
  readonly knownKey: string | null;
  /** The demo user's password. The bootstrap creates the demo user together with the account. */
  readonly personPassword: string;
}

/** An e-mail address in a reserved domain (RFC 2606). The email address cannot belong to a real user. */
export const demoEmail = 'demo@example.com';

const seedAnswer = z.object({
  accountId: z.string(),
  apiKey: z.string(),
  /**
   * The session token, or null if the embedded identity provider is disabled or the demo user's password was
   * changed.
   */
  sessionToken: z.string().nullable(),
});
export type DemoAccount = z.infer<typeof seedAnswer>;

const SEED_WITHIN_MS = 90_000;

/**
 * Creates the demo account and its API key through the account service, in a separate process. Throws if the
 * separate process fails.
 */
export async function createDemoAccount(request: SeedRequest): Promise<DemoAccount> {
  // An external NATS server with TLS needs NODE_EXTRA_CA_CERTS.
  const { NODE_EXTRA_CA_CERTS } = process.env;
  const child = spawn(process.execPath, [join(root, 'dist/tools/seed-demo.js')], {
    cwd: root,
    env: { ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }) },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: SEED_WITHIN_MS,
  });
  child.stdin.on('error', () => undefined).end(JSON.stringify(request));
  const [answer, complaint, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((settle, reject) => {
      child.once('error', reject);
      child.once('exit', settle);
    }),
  ]);
  if (code !== 0)
    throw new Error(`The demo account could not be created: ${complaint.trim() || 'no answer in time'}`);
  return seedAnswer.parse(JSON.parse(answer));
}
