import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StackUnderTest } from '@gateway/testing';
import type { Answer } from '../e2e/http.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';

/** Latencies of one type of request, in milliseconds. */
export interface Measured {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The HTTP statuses and texts of all responses with a status other than 2xx. */
  readonly errors: readonly string[];
}

export type Probe = (at: number) => Promise<Answer>;

const samplesDefault = 100;
const pauseMs = 4;

/** Sends a request repeatedly, one at a time, and measures its latency. */
export async function measure(probe: Probe, samples = samplesDefault): Promise<Measured> {
  const times: number[] = [];
  const errors: string[] = [];
  for (let at = 0; at < samples; at++) {
    const startedAt = performance.now();
    const { status, text } = await probe(at);
    times.push(performance.now() - startedAt);
    if (status < 200 || status > 299) errors.push(`${status} ${text.slice(0, 200)}`);
    await sleep(pauseMs);
  }
  const [p50Ms, p99Ms] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { p50Ms, p99Ms, errors };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Infinity;
}

/** Returns the median of each latency figure over the measurement rounds, and the errors of all rounds. */
export function medianOf(rounds: readonly Measured[]): Measured {
  const median = (figures: readonly number[]): number => quantile(figures, 0.5);
  return {
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    errors: rounds.flatMap(({ errors }) => errors),
  };
}

/** The share of a processor core below which a process is considered idle. */
const idleShare = 0.15;
const idleWindowMs = 150;
const ticksPerSecond = 100;

/**
 * Waits until the stack's services have no work left. A service's work includes computing tool vectors and
 * storing events.
 */
export async function untilIdle(stack: StackUnderTest): Promise<void> {
  const pids = Object.values(stack.dev.services).flatMap(({ pid }) => pid ?? []);
  await eventually(async () => {
    const before = usedMs(pids);
    const startedAt = performance.now();
    await sleep(idleWindowMs);
    const share = (usedMs(pids) - before) / (performance.now() - startedAt);
    return share < idleShare ? true : undefined;
  }, 60_000);
}

/** Returns the CPU time in milliseconds that the processes have used since their start, over all threads. */
function usedMs(pids: readonly number[]): number {
  const ticksOf = (pid: number): number => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) * (1_000 / ticksPerSecond);
}
