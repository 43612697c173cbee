import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ReadBody } from './stream-client.ts';

/** What the provider has sent so far. The hash of a stream exists after its end. */
export interface SentStreams {
  /** The maximum number of open streams. */
  readonly openMost: number;
  /** By the id of the order. */
  readonly sent: Readonly<Record<string, Partial<ReadBody>>>;
}

export interface StreamingProvider {
  readonly url: string;
  readSent(): Promise<SentStreams>;
  stop(): void;
}

/** Starts the provider in its own process, so that it shares no event loop with the client that measures. */
export async function startStreamingProvider(): Promise<StreamingProvider> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'provider.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    readSent: async () => (await (await fetch(`${url}/sent`)).json()) as SentStreams,
    stop: () => void child.kill('SIGKILL'),
  };
}
