import type { Counter, Metrics } from '@gateway/observability';
import type { RequestLogRow } from './request-log-row.ts';

type DecidedRow = Pick<
  RequestLogRow,
  'candidates' | 'called_tools' | 'recovered_tools' | 'gross_savings_usd' | 'provider_savings_usd'
>;

/** The outcomes of the gateway's decisions, counted over the rows in a batch. */
interface DecisionFigures {
  /** Number of called tools that the plan forwarded. */
  readonly forwarded: number;
  /**
   * Number of called or requested tools that the plan had pruned. Recall is forwarded / (forwarded + pruned).
   */
  readonly pruned: number;
  /** Savings on provider bills, in USD. */
  readonly savedUsd: number;
  /** Costs of rewritten prompt caches and of recovery rounds, in USD. These costs reduce the savings. */
  readonly spentUsd: number;
}

/**
 * Counts the outcomes of the gateway's decisions over all rows. A row without a plan does not count toward recall.
 */
export function sumDecisions(rows: readonly DecidedRow[]): DecisionFigures {
  let [forwarded, pruned, savedUsd, spentUsd] = [0, 0, 0, 0];
  for (const row of rows) {
    const wasForwarded = new Map(row.candidates?.map(([name, , , isForwarded]) => [name, isForwarded === 1]));
    for (const name of new Set([...row.called_tools, ...row.recovered_tools])) {
      if (wasForwarded.get(name) === true && !row.recovered_tools.includes(name)) forwarded += 1;
      else if (wasForwarded.has(name)) pruned += 1;
    }
    const gross = Math.max(0, row.gross_savings_usd ?? row.provider_savings_usd ?? 0);
    savedUsd += gross;
    spentUsd += Math.max(0, gross - (row.provider_savings_usd ?? gross));
  }
  return { forwarded, pruned, savedUsd, spentUsd };
}

/** Computes recall and net savings from all rows written to the request log. */
export class DecisionMetrics {
  readonly #calls: Counter<'outcome'>;
  readonly #usd: Counter<'kind'>;

  constructor(metrics: Metrics) {
    this.#calls = metrics.counter({
      name: 'tool_calls_total',
      help: 'Tools that models called or requested, by the decision of the plan: forwarded or left_out.',
      labels: ['outcome'],
    });
    this.#usd = metrics.counter({
      name: 'provider_savings_usd_total',
      help: 'Providers’ bills in USD: saved by pruning and compression, and spent on them (rewritten caches, recovery rounds).',
      labels: ['kind'],
    });
    this.count([]);
  }

  count(rows: readonly DecidedRow[]): void {
    const { forwarded, pruned, savedUsd, spentUsd } = sumDecisions(rows);
    this.#calls.inc({ outcome: 'forwarded' }, forwarded);
    this.#calls.inc({ outcome: 'left_out' }, pruned);
    this.#usd.inc({ kind: 'saved' }, savedUsd);
    this.#usd.inc({ kind: 'spent' }, spentUsd);
  }
}
