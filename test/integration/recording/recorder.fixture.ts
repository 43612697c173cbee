import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequest, listRequests, type RequestEventV1 } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { createAcceptedEvent, createEndedEvent, type StackUnderTest } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { openBullmqEventQueue } from '../../../apps/edge-gateway/src/spool/bullmq-event-queue.adapter.ts';
import { RequestSpool } from '../../../apps/edge-gateway/src/spool/request-spool.ts';
import { SpoolShipper } from '../../../apps/edge-gateway/src/spool/spool-shipper.ts';
import { connectAs } from '../stack.fixture.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The parts of the gateway that record requests. The components run in the test process, with the real
 * servers and the real worker of a test stack.
 */
export interface Recorder {
  readonly messaging: Messaging;
  readonly spool: RequestSpool;
  readonly shipper: SpoolShipper;
  /** Records the start and the end of one request, like the gateway does. */
  record(accountId: string, change?: Partial<RequestEventV1>, traceparent?: string): Promise<RequestEventV1>;
  /** Resolves when the worker has reported every recorded event as written to Postgres. */
  untilCommitted(withinMs?: number): Promise<void>;
  close(): Promise<void>;
}

export async function startRecorder(stack: StackUnderTest): Promise<Recorder> {
  const messaging = await connectAs(stack, 'edge-gateway');
  const dir = mkdtempSync(join(tmpdir(), 'spool-'));
  const spool = await RequestSpool.open({ dir, bytesMax: 1 << 28, instanceId: 'test', log: quiet });
  const queue = openBullmqEventQueue(stack.dev.redis_url, quiet);
  const shipper = new SpoolShipper({
    ...{ spool, queue, messaging, log: quiet },
    intervalMs: 50,
    resendAfterMs: 5_000,
  });
  shipper.start();
  return {
    ...{ messaging, spool, shipper },
    record: async (accountId, change, traceparent) => {
      const accepted = createAcceptedEvent({ accountId });
      await spool.accept(accepted);
      const ended = createEndedEvent(accepted, change);
      spool.finish(ended, traceparent ?? null);
      return ended;
    },
    untilCommitted: async (withinMs = 40_000) => {
      await spool.flush();
      const deadline = Date.now() + withinMs;
      const isDone = () =>
        shipper.batchesInFlight === 0 &&
        spool.segments().every(({ bytes, shippedBytes }) => shippedBytes === bytes);
      while (!isDone()) {
        if (Date.now() > deadline) throw new Error(`not committed within ${withinMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close: async () => {
      await shipper.close(0);
      await queue.close();
      await spool.close();
      await messaging.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Reads all requests of an account from the request log, page by page. */
export async function listAll(messaging: Messaging, accountId: string) {
  const requests = [];
  for (let offset = 0; ; offset += 500) {
    const page = await messaging.call(listRequests, { accountId, limit: 500, offset });
    requests.push(...page.requests);
    if (page.requests.length < 500) return { total: page.total, requests };
  }
}

export async function readDetail(messaging: Messaging, accountId: string, requestId: string) {
  return (await messaging.call(getRequest, { accountId, requestId })).request;
}

export function newAccountId(): string {
  return uuidv7();
}
