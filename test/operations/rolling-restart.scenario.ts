import { startStack, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { startStreamingProvider } from '../bench/streams/provider-process.ts';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { startBalancer, type Balancer } from './balancer.fixture.ts';
import { startClients, type ClientOptions, type Clients } from './clients.fixture.ts';
import { installTestPrograms, nginxProgram } from './programs.fixture.ts';
import { listApps } from './stack.fixture.ts';

/** The name of the test provider, which the test never restarts. */
const standIn = 'sandbox-provider';
const edge = 'edge-gateway';
const edges = 3;
const others = 2;
const loggedWithinMs = 60_000;

export interface RollingRestart extends Pick<
  ClientOptions,
  'requestsPerSecond' | 'openStreams' | 'chunksPerStream' | 'chunkEveryMs'
> {
  /** The number of restarts per process. */
  readonly rounds: number;
  /** Which processes to restart, either all processes or one process of each kind. */
  readonly which: 'every' | 'one of each';
}

/** Restarts processes one after another under load. No client request may fail, and no stream may be cut. */
export async function expectRollingRestartUnnoticed(size: RollingRestart): Promise<void> {
  const undo: Undo[] = [];
  try {
    await installTestPrograms([nginxProgram]);
    const services = listApps().filter((app) => app !== standIn);
    const replicas = Object.fromEntries(services.map((app) => [app, app === edge ? edges : others]));
    const stack = await startStack({ replicas });
    undo.push(() => stack.stop());
    const { accountId, key } = await openAccount(stack, undo);
    const names = services.flatMap((app) => namesOf(app, size.which === 'every' ? (replicas[app] ?? 1) : 1));
    const urlOf = (name: string) => stack.dev.services[name]?.url ?? '';
    const balancer = await startBalancer(namesOf(edge, edges).map(urlOf));
    undo.push(() => balancer.stop());
    const clients = startClients({ ...size, url: balancer.url, key });
    undo.push(() => clients.stop());
    await eventually(() => (clients.open() === size.openStreams ? true : undefined), 60_000);

    for (let round = 0; round < size.rounds; round++)
      for (const name of names) await restart(stack, balancer, name);

    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect(clients.cutStreams).toEqual([]);
    await expectEachLogged(stack, accountId, clients);
  } finally {
    await undoAll(undo);
  }
}

const namesOf = (app: string, count: number) =>
  Array.from({ length: count }, (_, at) => (at === 0 ? app : `${app}-${at + 1}`));

async function openAccount(stack: StackUnderTest, undo: Undo[]) {
  const provider = await startStreamingProvider();
  undo.push(() => provider.stop());
  const { accountId, apiKey } = await createTestAccount(stack);
  const key = await createTestKey(stack.baseUrl, apiKey, { name: 'crowd', rate_limit_rpm: 1_000_000 });
  const base_url = `${provider.url}/v1`;
  await connectProvider(stack.baseUrl, apiKey, { provider: 'openai', api_key: 'sk-upstream', base_url });
  return { accountId, key: key.key };
}

/**
 * Restarts a process like an orchestrator would. The load balancer first stops using the edge, which then
 * waits for its streams to end.
 */
async function restart(stack: StackUnderTest, balancer: Balancer, name: string): Promise<void> {
  const unit = stack.service(name);
  const before = unit.pid;
  const url = stack.dev.services[name]?.url;
  if (url) await balancer.without(url, () => unit.restart());
  else await unit.restart();
  expect(unit.pid).not.toBe(before);
}

/** Expects that the request log contains every request exactly once. */
async function expectEachLogged(stack: StackUnderTest, accountId: string, clients: Clients): Promise<void> {
  const database = new pg.Client({ connectionString: stack.dev.postgres.telemetry });
  await database.connect();
  const sent = clients.requests() + clients.streams();
  const count = 'SELECT status, count(*)::int FROM request_log WHERE account_id = $1 GROUP BY status';
  let rows: unknown;
  try {
    await eventually(async () => {
      ({ rows } = await database.query(count, [accountId]));
      return JSON.stringify(rows) === JSON.stringify([{ status: 'ok', count: sent }]) ? true : undefined;
    }, loggedWithinMs).catch(() => undefined);
    expect(rows).toEqual([{ status: 'ok', count: sent }]);
  } finally {
    await database.end();
  }
}
