import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Recording } from '../recordings/recording.ts';

/** The response that the replay provider sends. */
export interface ReplayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const meta = z.object({
  status: z.int(),
  response_headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullish(),
});

/**
 * Headers that belong to the recorded connection and not to the response. Lengths and encodings are
 * recomputed for the stored body, because the stored body is never compressed.
 */
const connectionHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads the recorded response of an exchange, with the status, the headers and the body. */
export function readAnswer(folder: string, recording: Recording): ReplayedAnswer {
  const file = recording.meta_file === null ? undefined : join(folder, recording.meta_file);
  const recorded =
    file !== undefined && existsSync(file)
      ? meta.parse(JSON.parse(readFileSync(file, 'utf8')))
      : { status: recording.status, response_headers: {} };
  const headers = Object.entries(recorded.response_headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value] as const)
    .filter(([name]) => !connectionHeaders.has(name));
  return {
    status: recorded.status,
    headers: { 'content-type': recording.content_type ?? 'application/json', ...Object.fromEntries(headers) },
    body: recording.response() ?? Buffer.alloc(0),
  };
}
