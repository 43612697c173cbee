import { randomFrom } from '@gateway/testing';
import type { Fault, FaultKind } from './history.ts';

/** The processes that the nemesis kills and stops. The supervisor restarts a killed process. */
const processes = [
  'edge-gateway',
  'account',
  'account-2',
  'provider-vault',
  'provider-vault-2',
  'worker',
  'billing',
  'tool-router',
  'compressor',
  'postgres',
  'redis',
  'redis-cache',
  'nats',
] as const;

const tables = [
  'account.api_keys',
  'account.accounts',
  'vault.credentials',
  'telemetry.request_log',
  'billing.ledger_entries',
] as const;

/** For each kind of fault, the possible targets and the relative frequency. */
const choices: Readonly<
  Record<FaultKind, { weight: number; targets: readonly string[]; longestMs: number }>
> = {
  kill: { weight: 5, targets: processes, longestMs: 0 },
  stop: { weight: 5, targets: [...processes, 'far-edge'], longestMs: 8_000 },
  lock: { weight: 2, targets: tables, longestMs: 5_000 },
  terminate: { weight: 2, targets: ['account', 'vault', 'telemetry', 'billing'], longestMs: 0 },
  flush: { weight: 2, targets: ['redis', 'redis-cache'], longestMs: 0 },
  pause: { weight: 1, targets: ['redis', 'redis-cache'], longestMs: 5_000 },
  'slow-upstream': { weight: 1, targets: ['upstream'], longestMs: 6_000 },
  'broken-upstream': { weight: 1, targets: ['upstream'], longestMs: 4_000 },
  'cut-link': { weight: 1, targets: ['nats', 'redis', 'redis-cache'], longestMs: 8_000 },
  'stall-link': { weight: 1, targets: ['nats', 'redis', 'redis-cache'], longestMs: 8_000 },
};

/** The time in milliseconds without faults at the start and the end of a run. */
const calmMs = { start: 4_000, end: 4_000 } as const;
const shortestMs = 500;
/** The mean time in milliseconds between the starts of two faults. Faults may overlap. */
const everyMs = 2_500;
/** The minimum time in milliseconds between two faults of the same target. */
const restMs = 4_000;

/** Draws the faults of a run at random. The same seed and duration always give the same faults. */
export function drawFaults(seed: number, seconds: number): Fault[] {
  // The clients use the seed itself, so the nemesis derives a different random sequence from the seed.
  const random = randomFrom(seed ^ 0x5bd1e995);
  const endMs = seconds * 1_000 - calmMs.end;
  const faults: Fault[] = [];
  const freeFrom = new Map<string, number>();
  for (let atMs: number = calmMs.start; atMs < endMs; atMs += Math.round(2 * everyMs * random())) {
    const kind = drawKind(random());
    const { targets, longestMs } = choices[kind];
    const target = targets[Math.floor(random() * targets.length)]!;
    const forMs = longestMs === 0 ? 0 : Math.round(shortestMs + random() * (longestMs - shortestMs));
    const name = `${kind.endsWith('link') ? 'link ' : ''}${target}`;
    if (atMs < (freeFrom.get(name) ?? 0) || atMs + forMs > endMs) continue;
    freeFrom.set(name, atMs + forMs + restMs);
    faults.push({ kind, target, atMs, forMs });
  }
  return faults;
}

function drawKind(drawn: number): FaultKind {
  const kinds = Object.entries(choices) as [FaultKind, { weight: number }][];
  let left = drawn * kinds.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [kind, { weight }] of kinds) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'kill';
}
