import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { root } from './root.ts';

/** What `seed-demo` is told, on its standard input. */
export interface SeedRequest {
  readonly natsUrl: string;
  readonly user: string;
  readonly password: string;
  /** The key that an earlier start made, if any: used again when it is still there. */
  readonly knownKey: string | null;
  /** The demo person's, who is made with it the first time. */
  readonly personPassword: string;
}

/** Nobody's mailbox (RFC 2606). */
export const demoEmail = 'demo@example.com';

const seedAnswer = z.object({
  accountId: z.string(),
  apiKey: z.string(),
  /** Null when the embedded identity is off, or when the person has another password by now. */
  sessionToken: z.string().nullable(),
});
export type DemoAccount = z.infer<typeof seedAnswer>;

const SEED_WITHIN_MS = 90_000;

/** Makes the demo account and its key by asking the account service, in a process of its own. Throws when it fails. */
export async function createDemoAccount(request: SeedRequest): Promise<DemoAccount> {
  // For a NATS of somebody's own that speaks TLS.
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
    throw new Error(`The demo account could not be made: ${complaint.trim() || 'no answer in time'}`);
  return seedAnswer.parse(JSON.parse(answer));
}
