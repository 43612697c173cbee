import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { openBullmqEventQueue } from './bullmq-event-queue.adapter.ts';
import type { EventQueue, SpoolLog } from './shipped-batches.ts';
import { RequestSpool } from './request-spool.ts';
import { SpoolShipper, type CommitReports } from './spool-shipper.ts';

export interface SpoolModuleOptions {
  readonly spool: RequestSpool;
  readonly redisUrl: string;
  readonly messaging: CommitReports;
  readonly log: SpoolLog;
  /** Maximum disk space of the spool in bytes. */
  readonly bytesMax: number;
}

/**
 * How long the spool keeps committed events, in milliseconds. A standby of Postgres with asynchronous replication may
 * lag behind by this time without loss of requests.
 */
const keepMs = 30_000;
/** The share of the spool that committed events may use. */
const keepShare = 1 / 8;

const EVENT_QUEUE = Symbol('EVENT_QUEUE');

/**
 * Provides `RequestSpool`, and ships the spooled events to the queue. On shutdown, the remaining events are
 * shipped.
 */
@Module({})
export class SpoolModule implements OnApplicationShutdown {
  static forRoot(options: SpoolModuleOptions): DynamicModule {
    const { spool } = options;
    const queue = openBullmqEventQueue(options.redisUrl, options.log);
    const { messaging, log } = options;
    const keepBytesMax = options.bytesMax * keepShare;
    const shipper = new SpoolShipper({ spool, queue, messaging, log, keepMs, keepBytesMax });
    shipper.start();
    return {
      module: SpoolModule,
      providers: [
        { provide: RequestSpool, useValue: spool },
        { provide: SpoolShipper, useValue: shipper },
        { provide: EVENT_QUEUE, useValue: queue },
      ],
      exports: [RequestSpool, SpoolShipper],
    };
  }

  readonly #spool: RequestSpool;
  readonly #shipper: SpoolShipper;
  readonly #queue: EventQueue;

  constructor(
    @Inject(RequestSpool) spool: RequestSpool,
    @Inject(SpoolShipper) shipper: SpoolShipper,
    @Inject(EVENT_QUEUE) queue: EventQueue,
  ) {
    this.#spool = spool;
    this.#shipper = shipper;
    this.#queue = queue;
  }

  /** Writes and ships the last end lines, and waits until the worker reports the lines as committed. */
  async onApplicationShutdown(): Promise<void> {
    await this.#spool.drain();
    await this.#shipper.close();
    await this.#queue.close();
    await this.#spool.close();
  }
}
