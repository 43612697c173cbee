import type { StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { send } from '../../e2e/http.fixture.ts';
import { eventually } from '../../integration/stack.fixture.ts';

/** The services that process text from tenants and providers. */
export const watched = ['edge-gateway', 'tool-router', 'compressor', 'worker'] as const;

/**
 * The longest permitted CPU time without a pause in seconds, which is a bucket bound in the histogram of
 * event loop stalls.
 */
const stallSecondsMax = 0.1;

interface ServiceFigures {
  /** The number of stalls that used more CPU time than permitted. */
  readonly stalls: number;
  /** The CPU time of all stalls, in seconds. */
  readonly stallSeconds: number;
  /** The processor time of the whole process, in seconds. */
  readonly cpuSeconds: number;
}

type Figures = Readonly<Record<string, ServiceFigures>>;

/** Reads the services' event loop stalls from their metrics. */
export class StallWatch {
  readonly #stack: StackUnderTest;

  constructor(stack: StackUnderTest) {
    this.#stack = stack;
  }

  async read(): Promise<Figures> {
    const all = watched.map(async (name) => [name, await this.#readService(name)] as const);
    return Object.fromEntries(await Promise.all(all));
  }

  async #readService(name: string): Promise<ServiceFigures> {
    const { origin, pathname } = new URL(this.#stack.dev.services[name]?.metrics_url ?? '');
    // Each read uses a new connection, because a busy service may close an idle connection.
    const { text } = await send(origin, { path: pathname });
    const read = (pattern: string): number => Number(new RegExp(`^${pattern} (\\S+)$`, 'm').exec(text)?.[1]);
    const metric = 'event_loop_stall_cpu_seconds';
    const count = read(`${metric}_count\\{[^}]*\\}`);
    // Before the first stall, the metrics do not contain the histogram.
    if (Number.isNaN(count)) return { stalls: 0, stallSeconds: 0, cpuSeconds: readCpu(read) };
    return {
      stalls: count - read(`${metric}_bucket\\{[^}]*le="${stallSecondsMax}"[^}]*\\}`),
      stallSeconds: read(`${metric}_sum\\{[^}]*\\}`),
      cpuSeconds: readCpu(read),
    };
  }

  /**
   * Resolves when the services have finished all work, including work that follows the response. A service is
   * idle if it uses almost no processor time in several consecutive reads.
   */
  async untilIdle(): Promise<Figures> {
    let before = await this.read();
    let quietReads = 0;
    return eventually(async () => {
      await waitMs(idleEveryMs);
      const now = await this.read();
      const isIdle = watched.every(
        (name) => (now[name]?.cpuSeconds ?? 0) - (before[name]?.cpuSeconds ?? 0) < idleCpuSeconds,
      );
      quietReads = isIdle ? quietReads + 1 : 0;
      before = now;
      return quietReads >= idleReads ? now : undefined;
    }, 120_000);
  }

  /**
   * Runs the function `work`. Returns each service with a stalled event loop, with the number and the
   * total CPU time of its stalls.
   */
  async during(work: () => Promise<unknown>): Promise<Readonly<Record<string, string>>> {
    const before = await this.read();
    await work();
    const after = await this.untilIdle();
    const stalled = watched.flatMap((name) => {
      const stalls = (after[name]?.stalls ?? 0) - (before[name]?.stalls ?? 0);
      const seconds = (after[name]?.stallSeconds ?? 0) - (before[name]?.stallSeconds ?? 0);
      return stalls === 0
        ? []
        : [[name, `${stalls} of ${(seconds * 1_000).toFixed(0)} ms together`] as const];
    });
    return Object.fromEntries(stalled);
  }
}

const idleEveryMs = 150;
const idleReads = 3;
/**
 * The CPU time in seconds between two metric reads below which a process is considered idle. An idle process
 * uses about 10 ms for timers and metrics.
 */
const idleCpuSeconds = 0.06;

function readCpu(read: (pattern: string) => number): number {
  return read('process_cpu_seconds_total\\{[^}]*\\}');
}
