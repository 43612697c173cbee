import type { Counter, Gauge, Histogram, Metrics } from '@gateway/observability';
import { sizeBuckets } from '@gateway/observability';
import type { RequestLogRow } from './request-log-row.ts';

export interface WriteRequestLogMetrics {
  readonly events: Counter<'result'>;
  readonly lagSeconds: Histogram;
  readonly writeSeconds: Histogram;
  readonly batchEvents: Histogram;
  readonly depth: Gauge<'state'>;
}

export function createWriteRequestLogMetrics(metrics: Metrics): WriteRequestLogMetrics {
  return {
    events: metrics.counter({
      name: 'request_events_total',
      help: 'Request events by what became of them: written, repeated (in the log already) or dead.',
      labels: ['result'],
    }),
    lagSeconds: metrics.histogram({
      name: 'request_event_lag_seconds',
      help: 'From a batch being queued to it being in Postgres.',
    }),
    writeSeconds: metrics.histogram({
      name: 'request_event_write_seconds',
      help: 'What writing one batch took.',
    }),
    batchEvents: metrics.histogram({
      name: 'request_event_batch_size',
      help: 'Events in a batch.',
      buckets: sizeBuckets,
    }),
    depth: metrics.gauge({
      name: 'request_event_batches',
      help: 'Batches in the queue by state (waiting, active, delayed), and dead letters (dead), every five seconds.',
      labels: ['state'],
    }),
  };
}

type DecidedRow = Pick<
  RequestLogRow,
  'candidates' | 'called_tools' | 'recovered_tools' | 'gross_savings_usd' | 'provider_savings_usd'
>;

/** What came of the gateway's decisions, over the rows of a batch. */
interface DecisionFigures {
  /** Tools that models called and that the plan had forwarded. */
  readonly forwarded: number;
  /** Tools that models called or asked for, and that the plan had left out: recall is the share of the others. */
  readonly leftOut: number;
  /** What was saved of providers' bills, in USD … */
  readonly savedUsd: number;
  /** … and what that cost: caches written once more, hidden rounds. */
  readonly spentUsd: number;
}

/** Sums rows up. A row whose tools were not planned says nothing of recall. */
export function sumDecisions(rows: readonly DecidedRow[]): DecisionFigures {
  let [forwarded, leftOut, savedUsd, spentUsd] = [0, 0, 0, 0];
  for (const row of rows) {
    const wasForwarded = new Map(row.candidates?.map(([name, , , isForwarded]) => [name, isForwarded === 1]));
    for (const name of new Set([...row.called_tools, ...row.recovered_tools])) {
      if (wasForwarded.get(name) === true && !row.recovered_tools.includes(name)) forwarded += 1;
      else if (wasForwarded.has(name)) leftOut += 1;
    }
    const gross = Math.max(0, row.gross_savings_usd ?? row.provider_savings_usd ?? 0);
    savedUsd += gross;
    spentUsd += Math.max(0, gross - (row.provider_savings_usd ?? gross));
  }
  return { forwarded, leftOut, savedUsd, spentUsd };
}

/** Tells recall and net savings of everything that is written to the request log. */
export class DecisionMetrics {
  readonly #calls: Counter<'outcome'>;
  readonly #usd: Counter<'kind'>;

  constructor(metrics: Metrics) {
    this.#calls = metrics.counter({
      name: 'tool_calls_total',
      help: 'Tools that models called or asked for, by what the plan had done with them: forwarded or left_out.',
      labels: ['outcome'],
    });
    this.#usd = metrics.counter({
      name: 'provider_savings_usd_total',
      help: 'USD of providers’ bills: saved by leaving out and compressing, and spent on that (caches written anew, hidden rounds).',
      labels: ['kind'],
    });
    this.count([]);
  }

  count(rows: readonly DecidedRow[]): void {
    const { forwarded, leftOut, savedUsd, spentUsd } = sumDecisions(rows);
    this.#calls.inc({ outcome: 'forwarded' }, forwarded);
    this.#calls.inc({ outcome: 'left_out' }, leftOut);
    this.#usd.inc({ kind: 'saved' }, savedUsd);
    this.#usd.inc({ kind: 'spent' }, spentUsd);
  }
}
