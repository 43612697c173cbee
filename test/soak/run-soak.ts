import { startStack, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { startUpstream } from '../chaos/upstream.ts';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { describeTables, Probes, type Reading, type TableReading } from './probes.ts';
import { runTraffic, type SoakAccount, type Totals } from './traffic.ts';
import { judge, windowsCount, type Sample, type Series, type Unit, type Verdict } from './verdict.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly perSecond: number;
}

/** The result of a soak run. */
export interface SoakResult {
  readonly minutes: number;
  readonly requests: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly verdicts: readonly Verdict[];
  /** The quantities that did not return to their value before the load. */
  readonly leftovers: readonly string[];
  readonly isOk: boolean;
}

/** Outcomes of the mix that are not failures. A rejected request has an invalid key. */
const expected = /^(\w+ 20[0-4]|abandoned 499|rejected 401)$/;
const sampledEveryMs = 2_000;
const accountsCount = 3;

/** Starts a stack, runs the traffic for the given time, and judges each measured quantity. */
export async function runSoak({ minutes, perSecond }: SoakOptions): Promise<SoakResult> {
  const undo: Undo[] = [];
  try {
    const stack = await startStack({ env: { '*': { LOG_LEVEL: 'info' } } });
    undo.push(() => stack.stop());
    const upstream = await startUpstream(() => performance.now());
    undo.push(() => upstream.close());
    const accounts: SoakAccount[] = [];
    for (let count = 0; count < accountsCount; count += 1)
      accounts.push(await openAccount(stack, upstream.url));
    const probes = await Probes.open(stack);
    undo.push(() => probes.close());
    const idle = await probes.read();
    const totals: Totals = { sent: 0, outcomes: new Map() };
    const durationMs = minutes * 60_000;
    const traffic = { baseUrl: stack.baseUrl, accounts, durationMs, perSecond };
    const [series] = await Promise.all([watch(probes, totals, durationMs), runTraffic(traffic, totals)]);
    const leftovers = await awaitCalm(probes, idle);
    const verdicts = series.map((each) => judge(each, durationMs));
    const outcomes = Object.fromEntries([...totals.outcomes].toSorted());
    const isOk =
      leftovers.length === 0 &&
      verdicts.every(({ isPlateau }) => isPlateau) &&
      Object.keys(outcomes).every((outcome) => expected.test(outcome));
    return { minutes, requests: totals.sent, outcomes, verdicts, leftovers, isOk };
  } finally {
    await undoAll(undo);
  }
}

async function openAccount(stack: StackUnderTest, upstreamUrl: string): Promise<SoakAccount> {
  const { apiKey } = await createTestAccount(stack);
  const urls = { openai: `${upstreamUrl}/v1`, anthropic: upstreamUrl };
  for (const [provider, base_url] of Object.entries(urls))
    await connectProvider(stack.baseUrl, apiKey, { provider, base_url, api_key: 'sk-upstream' });
  const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'soak', rate_limit_rpm: 1_000_000 });
  return { apiKey, chatKey: key, upstreamUrl };
}

/** Reads all quantities until the load ends, and the tables once per window. */
async function watch(probes: Probes, totals: Totals, durationMs: number): Promise<Series[]> {
  const startedAt = performance.now();
  const samples = new Map<string, { unit: Unit; samples: Sample[] }>();
  const tables: TableReading[] = [];
  const tablesEveryMs = durationMs / windowsCount / 2;
  for (;;) {
    const atMs = performance.now() - startedAt;
    if (atMs >= durationMs) break;
    for (const [name, { unit, value }] of await probes.read()) {
      if (!samples.has(name)) samples.set(name, { unit, samples: [] });
      samples.get(name)!.samples.push({ atMs, value });
    }
    if (atMs >= tables.length * tablesEveryMs)
      tables.push({ atMs, requests: totals.sent, tables: await probes.readTables() });
    await waitMs(Math.max(0, startedAt + atMs + sampledEveryMs - performance.now()));
  }
  const measured = [...samples].map(([name, each]): Series => ({
    name,
    window: each.unit === 'MiB' ? 'lowest' : 'median',
    ...each,
  }));
  return [...measured, ...describeTables(tables)];
}

/** A spool file is closed after a minute and then deleted. */
const calmWithinMs = 120_000;
/** Descriptors of pooled connections that a service keeps open. */
const descriptorsKept = 25;

/** Waits until spool, queue and outbox are empty and descriptors are closed. Returns the quantities that stay. */
async function awaitCalm(probes: Probes, idle: Reading): Promise<string[]> {
  let left: string[] = [];
  const isCalm = async (): Promise<true | undefined> => {
    const [reading, tables] = [await probes.read(), await probes.readTables()];
    const descriptors = [...reading].flatMap(([name, { unit, value }]) => {
      const before = idle.get(name)?.value ?? 0;
      return unit === 'descriptors' && value > before + descriptorsKept
        ? [`${name}: ${value}, before ${before}`]
        : [];
    });
    const spool = reading.get('spool size')?.value ?? NaN;
    const outboxes = [...tables].filter(([name, { rows }]) => name.includes('outbox') && rows > 0);
    left = [
      ...descriptors,
      ...(spool > 0 ? [`spool size: ${spool} MiB`] : []),
      ...outboxes.map(([name, { rows }]) => `${name}: ${rows} rows`),
    ];
    return left.length === 0 ? true : undefined;
  };
  await eventually(isCalm, calmWithinMs).catch(() => undefined);
  return left;
}
