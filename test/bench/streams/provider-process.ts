import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ReadBody } from './stream-client.ts';

/** The streams that the provider has sent. A stream's hash is available after its end. */
export interface SentStreams {
  /** The largest number of streams that were open at the same time. */
  readonly openMost: number;
  /** The streams sent so far, by the stream id in the request. */
  readonly sent: Readonly<Record<string, Partial<ReadBody>>>;
}

export interface StreamingProvider {
  readonly url: string;
  readSent(): Promise<SentStreams>;
  stop(): void;
}

/** Starts the test provider in a separate process, so that provider and client have separate event loops. */
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
