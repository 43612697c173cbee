import type { RequestEventV1 } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import { costUsd, loadCatalog } from '@gateway/model-catalog';
import { createEndedEvent, createPlanEvent } from '@gateway/testing';
import type { PricedRequest } from './price-request.ts';
import { addAbandonedCost, addAbandonedTokens, priceSavings } from './price-request.ts';

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const model = { prices, cache: { kind: 'explicit' } } as unknown as CatalogModel;
const at = Date.parse('2026-11-23T12:00:00Z');
const plain = { inputTokens: 10_000, outputTokens: 500 };
const cached = { ...plain, cachedInputTokens: 10_000 };
const savingsOf = (event: Partial<RequestEventV1>, priced: Partial<PricedRequest> = {}) =>
  priceSavings(createEndedEvent(undefined, { toolsIn: 100, toolsOut: 20, ...event }), {
    ...{
      model,
      usage: plain,
      rounds: [],
      hasEveryTool: false,
      contextRewrittenUsd: 0,
      isMarked: false,
      at,
      ...priced,
    },
  });
const price = (...request: Parameters<typeof savingsOf>) => savingsOf(...request)?.netUsd ?? null;

describe('savings from pruning and compression', () => {
  it('are the saved tokens at the mean input price', () => {
    expect(price({})).toBeCloseTo((8_000 * 3) / 1e6, 12);
    expect(price({}, { usage: cached })).toBeCloseTo((8_000 * 0.3) / 1e6, 12);
    const compressionSteps = [{ step: 'x', tokensBefore: 3_000, tokensAfter: 1_000 }];
    expect(price({ toolsOut: 100, compressionSteps })).toBeCloseTo((2_000 * 3) / 1e6, 12);
    expect(price({ toolsOut: 100 })).toBe(0);
  });

  it('are negative if rewriting the prompt cache cost more than the saved tokens', () => {
    const plan = { ...createPlanEvent(100, 20), kReason: 'grown' };
    const grown = price({ plan, toolsOut: 90 });
    expect(grown).toBeCloseTo((1_000 * 3 - 10_000 * 3.45) / 1e6, 12);
    expect(price({ toolsOut: 90 }, { contextRewrittenUsd: 0.01 })).toBeCloseTo(0.003 - 0.01, 12);
  });

  it('subtract the cost of recovery rounds beyond the single provider call that is always needed', () => {
    expect(price({}, { rounds: [plain, plain] })).toBeCloseTo((8_000 * 3 - 10_000 * 3 - 500 * 15) / 1e6, 12);
    expect(price({}, { rounds: [plain] })).toBeCloseTo((8_000 * 3) / 1e6, 12);
  });

  it('do not charge recovery for the first read of an uncached prefix', () => {
    const written = { inputTokens: 10_000, cacheWriteTokens: 10_000, outputTokens: 50 };
    const read = { inputTokens: 10_200, cachedInputTokens: 10_000, outputTokens: 500 };
    const recovery = 10_000 * 0.3 + 200 * 3 + 50 * 15;
    const net = price({}, { usage: { inputTokens: 20_200, outputTokens: 550 }, rounds: [written, read] });
    expect(net).toBeCloseTo((8_000 * 3.75 - recovery) / 1e6, 12);
  });

  it('are the negative cost of the recovery rounds if every tool was sent in the end', () => {
    const rounds = [plain, plain, { inputTokens: 30_000, outputTokens: 400 }];
    const net = price({ toolsOut: 100 }, { rounds, hasEveryTool: true });
    expect(net).toBeCloseTo(-(2 * (10_000 * 3 + 500 * 15)) / 1e6, 12);
  });

  it('are also reported as a gross amount, before costs are subtracted', () => {
    expect(savingsOf({}, { rounds: [plain, plain] })?.grossUsd).toBeCloseTo((8_000 * 3) / 1e6, 12);
    const rewritten = savingsOf({ toolsOut: 90 }, { contextRewrittenUsd: 0.01 });
    expect(rewritten?.grossUsd).toBeCloseTo(0.003, 12);
  });

  it('include cache reads and cache writes behind the gateway’s cache markers', () => {
    const written = { ...plain, cacheWriteTokens: 8_000 };
    const read = { ...plain, cachedInputTokens: 8_000, cacheWriteTokens: 1_000 };
    const of = (usage: typeof written) => savingsOf({ toolsOut: 100 }, { usage, isMarked: true });
    expect(of(written)).toMatchObject({
      grossUsd: 0,
      netUsd: expect.closeTo((-8_000 * 0.75) / 1e6, 12) as number,
    });
    const first = { grossUsd: expect.closeTo((8_000 * 2.7) / 1e6, 12) as number };
    expect(of(read)).toMatchObject({
      ...first,
      netUsd: expect.closeTo((8_000 * 2.7 - 750) / 1e6, 12) as number,
    });
    expect(savingsOf({ toolsOut: 100 }, { usage: read })?.netUsd).toBe(0);
    const rounds = [written, read];
    const net = (isMarked: boolean) => price({ toolsOut: 100 }, { usage: read, rounds, isMarked }) ?? NaN;
    expect(net(true) - net(false)).toBeCloseTo((8_000 * 2.7 - 9_000 * 0.75) / 1e6, 12);
  });

  it('are unknown without prices or if the request was not served', () => {
    expect(price({}, { model: undefined })).toBeNull();
    expect(price({ status: 'error', usage: null })).toBeNull();
  });
});

const catalog = loadCatalog();
const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  estimated: false,
};
const call = { provider: 'openai', model: 'gpt-4o-mini', bytes: 4_000 };

describe('cancelled hedged calls', () => {
  it('add their estimated input tokens, priced at the price of the called model', () => {
    const added = addAbandonedTokens(usage, { abandoned: [call] });
    expect(added.inputTokens).toBeGreaterThan(100);
    expect(added).toMatchObject({ outputTokens: 20, estimated: true });
    const read = { inputTokens: added.inputTokens - 100, outputTokens: 0 };
    const own = costUsd(catalog.find('openai', 'gpt-4o-mini')!, read, at)!;
    expect(addAbandonedCost(0.5, { abandoned: [call] }, catalog, at)).toBeCloseTo(0.5 + own, 12);
  });

  it('add nothing if no call was cancelled, and make the total unknown if the price of one call is unknown', () => {
    expect(addAbandonedTokens(usage, { abandoned: [] })).toBe(usage);
    expect(addAbandonedCost(0.5, { abandoned: [] }, catalog, at)).toBe(0.5);
    const unknown = { ...call, model: 'a-model-of-tomorrow' };
    expect(addAbandonedCost(0.5, { abandoned: [unknown] }, catalog, at)).toBeNull();
  });
});
