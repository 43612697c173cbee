import { median, type LoadFigures } from './load.ts';

export type System = 'bare' | 'portkey' | 'ours';

/** The result of one load run. The CPU time of all the system's processes is counted until the queues are empty. */
export interface Measured {
  readonly system: System;
  readonly load: string;
  readonly connections: number;
  readonly round: number;
  readonly figures: LoadFigures;
  readonly processorMs: number;
}

type Figure = 'requestsPerSecond' | 'p50Ms' | 'p99Ms' | 'requestsPerCpuSecond';

/** The medians over all rounds. In each round, the bare proxy runs both before and after the other systems. */
export class Report {
  readonly #measured: readonly Measured[];
  readonly #mib: Readonly<Record<System, number>>;

  constructor(measured: readonly Measured[], mib: Readonly<Record<System, number>>) {
    this.#measured = measured;
    this.#mib = mib;
  }

  print(): void {
    console.log(
      'request                 connections  system    requests/s    p50 ms    p99 ms  requests/CPU-s',
    );
    const rows = new Map(
      this.#measured.map((run) => [`${run.system}_${run.load}_${run.connections}`, run] as const),
    );
    const figures: Record<string, Record<Figure, number>> = {};
    for (const [name, { system, load, connections }] of rows) {
      const of = (figure: Figure): number => median(this.#byRound(system, load, connections, figure));
      const row = {
        requestsPerSecond: of('requestsPerSecond'),
        p50Ms: of('p50Ms'),
        p99Ms: of('p99Ms'),
        requestsPerCpuSecond: of('requestsPerCpuSecond'),
      };
      figures[name] = row;
      const columns = [row.requestsPerSecond.toFixed(0).padStart(12), row.p50Ms.toFixed(3).padStart(10)];
      const costs = [row.p99Ms.toFixed(3).padStart(10), row.requestsPerCpuSecond.toFixed(0).padStart(16)];
      const head = `${load.padEnd(24)}${String(connections).padStart(10)}  ${system.padEnd(8)}`;
      console.log(head + [...columns, ...costs].join(''));
    }
    console.log(`\n${JSON.stringify({ ...this.#summarize(), figures })}`);
  }

  #summarize(): object {
    const ours = (load: string, connections: number): number =>
      median(this.#byRound('ours', load, connections, 'requestsPerCpuSecond'));
    return {
      ratio_to_portkey: this.#ratio('portkey'),
      ratio_to_bare: this.#ratio('bare'),
      requests_per_cpu_second: {
        plain: ours('plain', 32),
        plain_portkey: median(this.#byRound('portkey', 'plain', 32, 'requestsPerCpuSecond')),
        tools_100: ours('tools', 1),
        conversation_50k_tokens: ours('growing_50k', 1),
        conversation_100k_tokens: ours('growing_100k', 1),
      },
      added_p50_ms: {
        plain: this.#added('plain'),
        tools_100: this.#added('tools'),
        conversation_1mb: this.#added('conversation'),
        conversation_50k_tokens: this.#added('growing_50k'),
        conversation_100k_tokens: this.#added('growing_100k'),
      },
      added_p50_ms_responses: {
        proxied: this.#added('responses_proxied'),
        plain: this.#added('responses_plain'),
        tools_100: this.#added('responses_tools'),
        conversation_1mb: this.#added('responses_conversation'),
      },
      mib: this.#mib,
      targets: { ratio_to_portkey: 2, added_p50_ms: { plain: 1, tools_100: 5, conversation_1mb: 12 } },
    };
  }

  /** Our throughput divided by the other system's throughput in the same round, as the median over all rounds. */
  #ratio(system: System): number {
    const others = this.#byRound(system, 'plain', 32, 'requestsPerSecond');
    const ours = this.#byRound('ours', 'plain', 32, 'requestsPerSecond');
    return median(ours.map((rate, round) => rate / (others[round] ?? Number.NaN)));
  }

  /** Our latency minus the bare proxy's latency in the same round, as the median over all rounds. */
  #added(load: string): number {
    const bare = this.#byRound('bare', load, 1, 'p50Ms');
    const ours = this.#byRound('ours', load, 1, 'p50Ms');
    return median(ours.map((p50, round) => p50 - (bare[round] ?? Number.NaN)));
  }

  /** One metric's result in each round. A round with several runs contributes the mean of its runs. */
  #byRound(system: System, load: string, connections: number, figure: Figure): number[] {
    const rounds: number[][] = [];
    for (const run of this.#measured) {
      if (run.system !== system || run.load !== load || run.connections !== connections) continue;
      const { figures, processorMs } = run;
      const value =
        figure === 'requestsPerCpuSecond' ? figures.requests / (processorMs / 1_000) : figures[figure];
      (rounds[run.round] ??= []).push(value);
    }
    return rounds.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  }
}
