import { createHash } from 'node:crypto';
import { compressBlocks, compressSchemas, type CompressBlocksRequest } from '@gateway/contracts';
import { connectMessaging, type Messaging } from '@gateway/messaging';
import { findFreePort, startNatsServer } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { undoAll, type Undo } from '../stack.fixture.ts';
import { buildApps, startService } from './services.fixture.ts';

const unhurried = { deadlineMs: 30_000 };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const undo: Undo[] = [];
let edge: Messaging;

beforeAll(async () => {
  buildApps('compressor');
  const nats = await startNatsServer();
  undo.push(() => nats.close());
  const compressor = await startService('compressor', nats.url, {
    REDIS_CACHE_URL: `redis://127.0.0.1:${await findFreePort()}`,
    ORIGINALS_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  undo.push(() => compressor.stop());
  const name = { user: 'edge-gateway', password: 'x', name: 'edge', instanceId: 'edge-1' };
  edge = await connectMessaging({ url: nats.url, ...name });
  undo.push(() => edge.close());
}, 180_000);
afterAll(() => undoAll(undo));

/**
 * Returns a tool's results as indented JSON. All results together have about the given number of characters.
 */
function renderResults(characters: number, seed: string): string[] {
  const results: string[] = [];
  for (let length = 0, at = 0; length < characters; at += 1) {
    const rows = Array.from({ length: 40 }, (_, row) => ({
      id: `${seed}-${at}-${row}`,
      title: `item ${row}`,
    }));
    const text = JSON.stringify({ rows }, null, 4);
    results.push(text);
    length += text.length;
  }
  return results;
}

function renderRequest(
  accountId: string,
  texts: readonly string[],
  place: Pick<CompressBlocksRequest, 'after' | 'upTo'>,
): CompressBlocksRequest {
  const blocks = texts.map((text) => ({ speaker: 'tool' as const, text, frozen: false }));
  return {
    mode: 'lossless',
    accountId,
    recoverable: false,
    sessionSeed: sha256(accountId),
    ...place,
    blocks,
  };
}

it('a large conversation is compressed like a small conversation, and later turns use the earlier results', async () => {
  const accountId = uuidv7();
  const texts = renderResults(300_000, 'large');
  const first = { after: null, upTo: sha256('first') };
  const whole = await edge.call(compressBlocks, renderRequest(accountId, texts, first), unhurried);
  if (whole.status !== 'compressed') throw new Error('the compressor rejected the whole conversation');
  expect(whole.results.map(({ text }) => text)).toEqual(
    texts.map((text) => JSON.stringify(JSON.parse(text))),
  );
  const next = { after: first.upTo, upTo: sha256('next') };
  const again = await edge.call(compressBlocks, renderRequest(accountId, [texts[0]!], next), unhurried);
  expect(again).toMatchObject({
    status: 'compressed',
    results: [{ steps: [{ step: 'repeated_block' }] }],
  });
});

it('the compressor requests the whole conversation if a small conversation grows by a large result', async () => {
  const accountId = uuidv7();
  const [small = ''] = renderResults(1, 'small');
  const first = { after: null, upTo: sha256('small') };
  await edge.call(compressBlocks, renderRequest(accountId, [small], first), unhurried);
  const grown = renderResults(200_000, 'grown');
  const next = { after: first.upTo, upTo: sha256('grown') };
  const reply = await edge.call(compressBlocks, renderRequest(accountId, grown, next), unhurried);
  expect(reply.status).toBe('unknown');
  const whole = renderRequest(accountId, [small, ...grown], { after: null, upTo: next.upTo });
  expect(await edge.call(compressBlocks, whole, unhurried)).toMatchObject({ status: 'compressed' });
});

it('large conversations of one account do not delay the small conversations of another account', async () => {
  const [noisy, quiet] = [uuidv7(), uuidv7()];
  const texts = renderResults(1_000_000, 'noisy');
  const [small = ''] = renderResults(1, 'quiet');
  const timeQuiet = async (name: string): Promise<number> => {
    const startedAt = performance.now();
    const place = { after: null, upTo: sha256(name) };
    const reply = await edge.call(compressBlocks, renderRequest(quiet, [small], place), unhurried);
    expect(reply.status).toBe('compressed');
    return performance.now() - startedAt;
  };
  await timeQuiet('warm');
  const large = Array.from({ length: 8 }, (_, at) => {
    const place = { after: null, upTo: sha256(`noisy ${at}`) };
    return edge.call(compressBlocks, renderRequest(noisy, texts, place), unhurried).then(
      () => 'compressed',
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  });
  const times: number[] = [];
  for (let at = 0; at < 20; at++) times.push(await timeQuiet(`quiet ${at}`));
  times.sort((one, other) => one - other);
  expect(times[10]).toBeLessThan(100);
  const outcomes = new Set(await Promise.all(large));
  expect(outcomes).toContain('compressed');
  expect(['compressed', 'service_unavailable']).toEqual(expect.arrayContaining([...outcomes]));
}, 60_000);

it('large tool lists are compressed like small tool lists', async () => {
  const definitions = Array.from({ length: 400 }, (_, at) => {
    const parameters = { type: 'object', properties: { [`field_${at}`]: { type: 'string' } } };
    const tool = { type: 'function', function: { name: `tool_${at}`, description: 'Does it.', parameters } };
    const text = JSON.stringify(tool, null, 4);
    return { hash: sha256(text), text };
  });
  const { results } = await edge.call(compressSchemas, { accountId: uuidv7(), definitions }, unhurried);
  const [alone] = (await edge.call(compressSchemas, { definitions: definitions.slice(0, 1) }, unhurried))
    .results;
  expect(results).toHaveLength(400);
  expect(results[0]).toEqual(alone);
});
