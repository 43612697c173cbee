import { setTimeout as waitMs } from 'node:timers/promises';
import { createMetrics, SecretSet } from '@gateway/observability';
import type { ContentCopy } from './content-copy.ts';
import { ContentKeeper } from './content-keeper.ts';
import type { ContentJob } from './content-thread.ts';
import { unpackContent } from './pack-content.ts';

const MiB = 1024 * 1024;

/** Creates a content copy of `text` that reports a memory use of `bytes`. */
function copyOf(text: string, bytes = text.length): ContentCopy {
  const shown = Buffer.from(text);
  return {
    bytes,
    take: () => ({ request: { shown, bytesOfAll: shown.length }, answer: null }),
  } as unknown as ContentCopy;
}

function open() {
  const metrics = createMetrics('edge-gateway');
  const stored: { requestId: string; packed: string }[] = [];
  const threaded: ContentJob[] = [];
  const warnings: { result?: string; dropped?: number }[] = [];
  const times = { now: 0 };
  const keeper = new ContentKeeper({
    metrics,
    messaging: {
      call: (_contract: unknown, request: unknown) => {
        stored.push(request as (typeof stored)[number]);
        return Promise.resolve({} as never);
      },
    },
    log: { warn: (fields: object) => void warnings.push(fields) },
    thread: {
      pack: (_accountId, job) => Promise.resolve(`packed ${threaded.push(job)}`),
      close: () => undefined,
    },
    now: () => times.now,
  });
  const keep = (copy: ContentCopy, accountId = 'a', secrets = new SecretSet()) => {
    const request = { accountId, requestId: crypto.randomUUID(), acceptedAt: new Date(), retentionDays: 1 };
    keeper.keep(copy, request, secrets);
  };
  /** Waits until the list of stored contents stops growing. */
  const settled = async (): Promise<void> => {
    let before = -1;
    while (before !== stored.length || stored.length === 0) {
      before = stored.length;
      await waitMs(200);
    }
  };
  return { keep, metrics, stored, threaded, warnings, times, settled };
}

describe('ContentKeeper', () => {
  it('stores the contents of small requests without the account’s secrets', async () => {
    const { keep, stored, threaded, settled } = open();
    const secrets = new SecretSet();
    secrets.add('own-secret-0123');
    keep(copyOf('says own-secret-0123'), 'a', secrets);
    await settled();
    expect((await unpackContent(stored[0]!.packed)).request.text).toBe('says [redacted]');
    expect(threaded).toEqual([]);
  });

  it('redacts the contents of large requests in a worker thread, with the account’s secrets', async () => {
    const { keep, stored, threaded, settled } = open();
    const secrets = new SecretSet();
    secrets.add('own-secret-0123');
    keep(copyOf('x'.repeat(64 * 1024)), 'a', secrets);
    await settled();
    expect(threaded.map((job) => job.secrets)).toEqual([['own-secret-0123']]);
    expect(stored).toMatchObject([{ packed: 'packed 1' }]);
  });

  it('drops and counts contents that exceed an account’s share of memory, without effect on other accounts', async () => {
    const { keep, stored, metrics, warnings, settled } = open();
    for (let at = 0; at < 6; at += 1) keep(copyOf('x', 6 * MiB), 'busy');
    for (const account of ['b', 'c']) keep(copyOf('x', 10 * MiB), account);
    await settled();
    expect(stored).toHaveLength(4);
    const { body } = await metrics.render();
    expect(body).toMatch(/gateway_contents_total\{.*result="over_share".*\} 4/);
    expect(warnings).toMatchObject([{ account_id: 'busy', result: 'over_share', dropped: 1 }]);
  });

  it('drops and counts contents that exceed the limit of the process, and logs dropped contents once a minute', async () => {
    const { keep, metrics, warnings, times, settled } = open();
    for (let at = 0; at < 8; at += 1) keep(copyOf('x', 15 * MiB), `account-${at}`);
    expect(warnings).toMatchObject([{ result: 'no_room', dropped: 1 }]);
    times.now = 60_000;
    keep(copyOf('x', 15 * MiB), 'late');
    expect(warnings[1]).toMatchObject({ result: 'no_room', dropped: 4 });
    await settled();
    expect((await metrics.render()).body).toMatch(/result="no_room".*\} 5/);
    keep(copyOf('x', 15 * MiB), 'after');
    await settled();
    expect((await metrics.render()).body).toMatch(/result="kept".*\} 5/);
  });
});
