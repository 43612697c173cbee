import { setTimeout as waitMs } from 'node:timers/promises';
import { causeFaults } from './causes.ts';
import { forbiddenTool, sendChat } from './chat-operations.ts';
import { deleteAccount, runClients } from './clients.ts';
import { listKeys, listProviders, readPolicy } from './control-operations.ts';
import type { CausedFault, Fault, History } from './history.ts';
import { findLeaks, findLeftovers, readLedger, readLog, settleRecords } from './read-records.ts';
import { Recorder, type Edge } from './recorder.ts';
import { openScene, type Scene } from './scene.ts';

export interface RunOptions {
  /** The seed that determines the operations. */
  readonly seed: number;
  readonly seconds: number;
  readonly faults: readonly Fault[];
}

/** The maximum time in milliseconds to wait for all requests to succeed after the last fault. */
const recoveryMaxMs = 60_000;

/** Runs the clients and the nemesis against a new stack. Returns the recorded history. */
export async function runSeed({ seed, seconds, faults }: RunOptions): Promise<History> {
  const clock = new Clock();
  const scene = await openScene(clock.now);
  try {
    clock.restart();
    const recorder = new Recorder(clock.now);
    const initial = describeInitial(scene);
    const stopWatching = clock.watchStalls();
    const { accounts, doomed, edges } = scene;
    const traffic = { recorder, edges, accounts, doomed, seed, durationMs: seconds * 1_000 };
    const [caused] = await Promise.all([
      causeFaults({ ...scene, farEdgePid: scene.farEdge.pid, now: clock.now }, faults),
      runClients(traffic),
    ]);
    const recoveryMs = await awaitRecovery(scene, recorder, caused);
    for (const account of accounts)
      for (const edge of edges)
        for (const read of [listKeys, listProviders, readPolicy]) await read({ recorder, account, edge });
    const records = await readRecords(scene, recorder);
    stopWatching();
    const limitedKeys = accounts.flatMap(({ limitedKey }) => (limitedKey ? [limitedKey.limit] : []));
    return {
      ...{ operations: recorder.operations, faults: caused, upstream: scene.upstream.requests },
      ...{ ...records, initial, limitedKeys, deniedTools: describeDenied(scene) },
      ...{ stalls: clock.stalls, recoveryMs },
    };
  } finally {
    await scene.close();
  }
}

/** The clock of a run, which also records the intervals in which a busy machine paused this process. */
class Clock {
  readonly stalls: { startMs: number; endMs: number }[] = [];
  #startedAt = performance.now();

  readonly now = (): number => performance.now() - this.#startedAt;

  restart(): void {
    this.#startedAt = performance.now();
  }

  /** Records each interval in which a 50 ms timer was more than 100 ms late. */
  watchStalls(): () => void {
    let last = this.now();
    const timer = setInterval(() => {
      const at = this.now();
      if (at - last > 150) this.stalls.push({ startMs: last, endMs: at });
      last = at;
    }, 50);
    return () => clearInterval(timer);
  }
}

/** Before the run, only the routing policy register of each account has a value. */
function describeInitial({ accounts }: Scene): Record<string, string | null> {
  return Object.fromEntries(
    accounts.map(({ accountId, accountName }) => [`policy:${accountId}`, accountName]),
  );
}

function describeDenied({ accounts, doomed }: Scene): Record<string, string[]> {
  const keys = [...accounts, doomed].flatMap(({ chatKeys, limitedKey }) => [
    ...chatKeys,
    ...(limitedKey ? [limitedKey.key] : []),
  ]);
  return Object.fromEntries(keys.map(({ id }) => [id, [forbiddenTool]]));
}

/** Returns the time between the end of the last fault and the first success of each kind of request on each edge. */
async function awaitRecovery(
  { edges, accounts }: Scene,
  recorder: Recorder,
  faults: readonly CausedFault[],
): Promise<number> {
  const lastMs = Math.max(0, ...faults.map(({ endedMs }) => endedMs));
  const account = accounts[0]!;
  const probes = edges.flatMap((edge: Edge) => [
    () => sendChat(recorder, account, account.chatKeys[0]!, edge, () => 0.1),
    () => sendChat(recorder, account, account.chatKeys[0]!, edge, () => 0.4),
    ...[listKeys, listProviders, readPolicy].map((read) => async () => {
      await read({ recorder, account, edge });
      return recorder.operations.at(-1)?.status === 200;
    }),
  ]);
  let recoveredMs = lastMs;
  for (const probe of probes)
    while (!(await probe())) {
      recoveredMs = recorder.now();
      if (recoveredMs - lastMs > recoveryMaxMs) return Infinity;
      await waitMs(200);
    }
  return recoveredMs - lastMs;
}

async function readRecords(
  { stack, doomed, edges, upstream, accounts, farEdge }: Scene,
  recorder: Recorder,
): Promise<Pick<History, 'rows' | 'ledger' | 'leftovers' | 'leaks'>> {
  // Repeats the account's deletion, which may have failed during the run.
  for (let tries = 0; tries < 20; tries += 1) {
    if (await deleteAccount(recorder, doomed, edges[0]!)) break;
    await waitMs(500);
  }
  const leftovers = await findLeftovers(stack, doomed.accountId);
  const own = new Set(
    recorder.operations.filter((each) => each.accountId !== doomed.accountId).map(({ id }) => id),
  );
  await settleRecords(
    stack,
    new Set(upstream.requests.map((each) => each.operation).filter((id) => own.has(id))),
  );
  const [rows, ledger] = [await readLog(stack), await readLedger(stack)];
  const names = Object.keys(stack.dev.services);
  const logs = Object.fromEntries(names.map((name) => [name, stack.logs(name)]));
  const secrets = [...accounts, doomed].flatMap(({ accountId, apiKey, providerKey, chatKeys, pool }) => [
    [`key of ${accountId}`, apiKey] as const,
    [`provider key of ${accountId}`, providerKey] as const,
    ...[...chatKeys, ...pool.values()].map(({ id, secret }) => [`key ${id}`, secret] as const),
  ]);
  const leaks = findLeaks({ ...logs, 'far-edge': farEdge.output() }, Object.fromEntries(secrets));
  return { rows, ledger, leftovers, leaks };
}
