import { eventually } from '../integration/stack.fixture.ts';
import { measure, medianOf, untilIdle, type Measured, type Probe } from './calm-and-beside.fixture.ts';
import type { HostileLoad, Statuses } from './hostile-account.fixture.ts';
import {
  manyTools,
  megabyte,
  model,
  openNeighbourhood,
  openProbes,
  readEdgeMetric,
  renderChat,
  renderLarge,
  renderLoad,
  silentModel,
  tools,
  type Neighbourhood,
} from './neighbours.fixture.ts';

/**
 * Tests a quiet account next to a hostile account that reaches its limit, for each shared resource in turn.
 * The quiet account must get no error. Under load, the quiet account's p99 latency may be at most three times
 * its p99 latency without load. Each round measures both latencies one after the other, so that other load on
 * the machine affects both. The test compares the medians over all rounds, and no measurement is repeated or
 * omitted.
 */

/**
 * The quiet account's maximum p99 latency under load from the hostile account, as a multiple of its p99 latency
 * without load.
 */
const slowdownMax = 3;
/**
 * The number of measurement rounds. The median of five rounds barely changes if other load slows two of
 * them.
 */
const rounds = 5;

let neighbours: Neighbourhood;

beforeAll(async () => {
  neighbours = await openNeighbourhood();
}, 180_000);
afterEach(() => neighbours.hostile.pause(), 60_000);
afterAll(async () => {
  await neighbours.close();
}, 60_000);

const { get, chat, agentTurn, logIn } = openProbes(() => neighbours);
const load = (options: Parameters<typeof renderLoad>[1]): HostileLoad => renderLoad(neighbours, options);

interface Row {
  readonly resource: string;
  /** The service that the test stops while the hostile account sends requests. */
  readonly stopped?: string;
  readonly load: () => HostileLoad;
  readonly probe: Probe;
  /** The number of requests per measurement, set only if the quiet account's requests are slow. */
  readonly samples?: number;
  /** The response status that shows that the hostile account has reached its limit. */
  readonly refused?: number;
  /** The edge metric that shows that the hostile account has reached its limit. */
  readonly refusedMetric?: string;
}

const rows: readonly Row[] = [
  {
    resource: 'account routes',
    load: () =>
      load({ path: '/v1/account/me', key: neighbours.hostileKeys.slowKey, concurrency: 8, pauseMs: 20 }),
    probe: get('/v1/account/me'),
    refused: 429,
  },
  {
    resource: 'database connections of the account service',
    load: () => {
      const path = `/v1/account/keys/${neighbours.hostileKeys.spareKeyId}`;
      return load({ method: 'PATCH', path, body: '{"name":"{n}"}', concurrency: 120, pauseMs: 400 });
    },
    probe: get('/v1/account/keys'),
    refused: 429,
  },
  {
    resource: 'sign-in',
    load: () => ({
      ...load({ path: '/v1/auth/log-in', concurrency: 4, pauseMs: 100 }),
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
      body: JSON.stringify({ email: 'n{n}@example.com', password: 'a wrong password' }),
    }),
    probe: logIn,
    refused: 429,
  },
  {
    resource: 'vault',
    load: () => {
      const body = JSON.stringify({ provider: 'groq', api_key: 'gsk_{n}_0123456789abcdef' });
      return load({ method: 'PUT', path: '/v1/account/providers', body, concurrency: 40, pauseMs: 400 });
    },
    probe: get('/v1/account/providers'),
  },
  {
    resource: 'processor time of the router',
    load: () => load({ body: renderChat('Find it', [], manyTools), concurrency: 2, pauseMs: 500 }),
    probe: agentTurn,
  },
  {
    resource: 'processor time of the compressor',
    load: () => load({ body: renderChat('Sum up', [megabyte], tools), concurrency: 2, pauseMs: 500 }),
    probe: agentTurn,
  },
  {
    resource: 'log queries',
    load: () => load({ path: '/v1/account/requests?limit=500&status=ok', concurrency: 20, pauseMs: 200 }),
    probe: get('/v1/account/requests?limit=10'),
  },
  {
    resource: 'exports',
    load: () => load({ path: '/v1/account/requests/export?format=jsonl', concurrency: 6, pauseMs: 200 }),
    probe: get('/v1/account/requests/export?format=csv'),
    samples: 30,
    refused: 429,
  },
  {
    resource: 'request slots',
    load: () => load({ body: renderLarge(13, silentModel), concurrency: 250, pauseMs: 1_000 }),
    probe: chat,
    refused: 503,
  },
  {
    resource: 'bytes in memory',
    load: () => load({ body: renderLarge(6_000_000, silentModel), concurrency: 6, pauseMs: 2_000 }),
    probe: chat,
    refused: 503,
  },
  {
    resource: 'copies of contents',
    load: () => load({ body: renderLarge(400_000, model), concurrency: 2, pauseMs: 150 }),
    probe: chat,
  },
  {
    resource: 'quota in the cache',
    load: () => load({ body: renderChat('Find {n}', ['{n}'], tools), concurrency: 4, pauseMs: 60 }),
    probe: agentTurn,
    refusedMetric: 'gateway_cache_values_refused_total',
  },
  {
    resource: 'requests',
    load: () => load({ body: renderChat('Hello {n}', [], []), concurrency: 16, pauseMs: 150 }),
    probe: chat,
  },
  {
    resource: 'spool',
    stopped: 'worker',
    load: () => load({ body: renderChat('Hello {n}', [], tools), concurrency: 8, pauseMs: 60 }),
    probe: chat,
    refused: 503,
  },
];

/**
 * If the test expects no rejection status, the hostile account is assumed to have reached its limit after this
 * number of responses.
 */
const warmResponses = 8;

/** Starts the hostile account's requests. Resolves when the hostile account has reached its limit. */
async function startLoad({ load: render, refused, refusedMetric }: Row): Promise<void> {
  const { hostile } = neighbours;
  const count = (statuses: Statuses): number =>
    refused === undefined ? sum(Object.values(statuses)) : (statuses[refused] ?? 0);
  const before = count(await hostile.send(render()));
  const wanted = refused === undefined ? warmResponses : 1;
  await eventually(async () => (count(await hostile.report()) - before >= wanted ? true : undefined), 60_000);
  if (refusedMetric === undefined) return;
  await eventually(
    async () => ((await readEdgeMetric(neighbours, refusedMetric)) > 0 ? true : undefined),
    60_000,
  );
}

async function measureBeside(row: Row): Promise<Measured> {
  const { stack, hostile } = neighbours;
  const { stopped, probe, samples } = row;
  if (stopped !== undefined) await stack.service(stopped).kill('SIGSTOP');
  try {
    await startLoad(row);
    return await measure(probe, samples);
  } finally {
    if (stopped !== undefined) await stack.service(stopped).kill('SIGCONT');
    await hostile.pause();
  }
}

/** Measures the quiet account alternately without and with load from the hostile account. Returns median latencies. */
async function compare(row: Row): Promise<{ readonly calm: Measured; readonly beside: Measured }> {
  const before = await neighbours.hostile.report();
  const calms: Measured[] = [];
  const besides: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    await untilIdle(neighbours.stack);
    calms.push(await measure(row.probe, row.samples));
    besides.push(await measureBeside(row));
  }
  const [calm, beside] = [medianOf(calms), medianOf(besides)];
  note(row, [calm.p50Ms, beside.p50Ms, calm.p99Ms, beside.p99Ms], before, await neighbours.hostile.report());
  return { calm, beside };
}

it.each(rows)(
  'a quiet account gets no error, and its p99 is at most three times its p99 without load: $resource',
  async (row) => {
    await measure(row.probe, row.samples);
    const { calm, beside } = await compare(row);
    expect(calm.errors).toEqual([]);
    expect(beside.errors).toEqual([]);
    expect(beside.p99Ms / calm.p99Ms).toBeLessThanOrEqual(slowdownMax);
  },
  600_000,
);

/** Prints one line with p50 and p99 in ms, and the hostile account's responses by status. */
function note({ resource }: Row, figures: readonly number[], before: Statuses, after: Statuses): void {
  const statuses = Object.entries(after).map(([status, count]) => [status, count - (before[status] ?? 0)]);
  const times = figures.map((ms) => ms.toFixed(1).padStart(7)).join(' ');
  process.stdout.write(`${resource.padEnd(45)} ${times}  ${JSON.stringify(Object.fromEntries(statuses))}\n`);
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
