import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';

export interface StreamTarget {
  readonly url: string;
  readonly path: '/v1/chat/completions' | '/v1/responses';
  readonly apiKey: string;
  readonly model: string;
}

/** The stream settings that the client sends to the provider. */
export interface StreamOrder {
  readonly id: string;
  readonly chunks: number;
  /** The interval between chunks in milliseconds. With 0, the provider sends as fast as the client reads. */
  readonly everyMs: number;
  /** The number of text characters in each chunk, in addition to the send time. */
  readonly fillBytes: number;
  /** Whether a chunk may end in the middle of a frame or a character. */
  readonly cutsFrames: boolean;
}

export interface ReadBody {
  readonly bytes: number;
  readonly sha256: string;
}

export interface StreamTimes {
  /** The time in milliseconds from the request to the first byte of the response body. */
  readonly firstByteMs: number;
  /** The delay of each chunk in milliseconds, from the provider's write to the client's read. */
  readonly delaysMs: readonly number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/**
 * Requests a stream. Resolves with the response head before the body is read. Throws an error for any status
 * except 200.
 */
export async function openStream(target: StreamTarget, order: StreamOrder): Promise<IncomingMessage> {
  const messages = [{ role: 'user', content: 'Tell me a story.' }];
  const body = JSON.stringify({
    model: target.model,
    ...(target.path === '/v1/responses' ? { input: messages, store: false } : { messages }),
    stream: true,
    user: JSON.stringify(order),
  });
  const call = request(target.url + target.path, {
    agent,
    method: 'POST',
    headers: {
      authorization: `Bearer ${target.apiKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });
  call.end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  if (answer.statusCode === 200) return answer;
  const text = Buffer.concat((await answer.toArray()) as Buffer[]).toString();
  throw new Error(`${target.url}: ${answer.statusCode ?? 0} ${text}`);
}

/**
 * Reads a stream completely and computes chunk delays from the provider's send times. Provider and client run
 * on one machine and use the same clock.
 */
export async function timeStream(target: StreamTarget, order: StreamOrder): Promise<StreamTimes> {
  const startedAt = performance.now();
  let firstByteMs: number | undefined;
  const delaysMs: number[] = [];
  const answer = await openStream(target, order);
  answer.on('data', (chunk: Buffer) => {
    const nowUs = Number(process.hrtime.bigint() / 1000n);
    firstByteMs ??= performance.now() - startedAt;
    for (const [, sentAtUs] of chunk.toString('latin1').matchAll(/"(?:content|delta)":"(\d+)/g))
      delaysMs.push((nowUs - Number(sentAtUs)) / 1000);
  });
  await once(answer, 'end');
  if (firstByteMs === undefined || delaysMs.length !== order.chunks)
    throw new Error(`${target.url}: ${delaysMs.length} of ${order.chunks} chunks arrived`);
  return { firstByteMs, delaysMs };
}

/** Reads a response body completely. */
export async function readBody(answer: IncomingMessage): Promise<ReadBody> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}
