import type { CompressBlocksRequest } from '@gateway/contracts';
import { ActiveAccounts } from '@gateway/messaging';
import { ConversationStore } from '../compress-blocks/compress-blocks.ts';
import { FairCompressor, smallUnitsMax } from './fair-compressor.ts';

const { jest } = import.meta;

let refused: string[];
let threadMs: number;
let ran: number;
let compressor: FairCompressor;

beforeEach(() => {
  jest.useFakeTimers();
  [refused, threadMs, ran] = [[], 130, 0];
  const run = async () => {
    ran += 1;
    await new Promise((resolve) => setTimeout(resolve, threadMs));
    return { results: [] };
  };
  compressor = new FairCompressor({
    thread: { run: run as never },
    conversations: new ConversationStore(1_000_000),
    instanceId: 'one',
    active: new ActiveAccounts(),
    onRefused: (reason) => refused.push(reason),
  });
});
afterEach(() => {
  jest.useRealTimers();
});

/**
 * Compresses large definitions every 100 ms for the given number of seconds. Returns the number of rejected requests.
 */
async function load(accountId: string, seconds: number): Promise<number> {
  const definitions = [{ hash: 'a', text: 'a'.repeat(smallUnitsMax + 1) }];
  const before = refused.length;
  for (let at = 0; at < 10 * seconds; at += 1) {
    compressor.compressSchemas(accountId, definitions, 'balanced').catch(() => undefined);
    await jest.advanceTimersByTimeAsync(100);
  }
  return refused.length - before;
}

/** A small request of another account, compressed without the worker thread. */
const small = {
  ...{ accountId: 'quiet', after: 'a', upTo: 'b', sessionSeed: 's', steps: [] },
  blocks: [{ text: 'a'.repeat(smallUnitsMax + 1) }],
} as unknown as CompressBlocksRequest;

it('an account may use the whole worker thread while no other account is active', async () => {
  threadMs = 95;
  expect(await load('busy', 5)).toBe(0);
  expect(ran).toBeGreaterThanOrEqual(49);
});

it('an account gets a quarter of the worker thread while other accounts are active', async () => {
  const timer = setInterval(() => void compressor.compressBlocks(small), 200);
  await load('busy', 5);
  const before = ran;
  await load('busy', 20);
  clearInterval(timer);
  const share = ((ran - before) * threadMs) / 20_000;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.3);
  expect(refused).toContain('account_full');
});
