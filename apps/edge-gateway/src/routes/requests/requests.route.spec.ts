import { exportRequests, listRequests } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { readPage } from './requests.route.ts';

const log = Array.from({ length: 430 }, (_, at) => ({ id: `request ${at}` }));

/**
 * Opens a worker that writes to the log of this test. The worker records the number of requests in each of its replies.
 */
function openWorker() {
  const replies: number[] = [];
  const reply = (from: number, limit: number) => {
    const requests = log.slice(from, from + limit);
    replies.push(requests.length);
    return Promise.resolve({ total: log.length, requests });
  };
  const call = (contract: unknown, query: { offset: number; before: string; limit: number }) => {
    if (contract === listRequests) return reply(query.offset, query.limit);
    if (contract === exportRequests)
      return reply(log.findIndex(({ id }) => id === query.before) + 1, query.limit);
    throw new Error('another call');
  };
  return { replies, messaging: { call } as unknown as Pick<Messaging, 'call'> };
}

it('reads a page in another order by position', async () => {
  const worker = openWorker();
  const order = { by: 'cost_usd', isDescending: true } as const;
  const page = await readPage(worker.messaging, {
    accountId: 'a',
    limit: 250,
    offset: 10,
    filter: {},
    order,
  });
  expect(page.requests).toEqual(log.slice(10, 260));
});

it.each([
  { limit: 500, offset: 0, replies: [100, 100, 100, 100, 30] },
  { limit: 250, offset: 10, replies: [100, 100, 50] },
  { limit: 100, offset: 0, replies: [100] },
  { limit: 50, offset: 400, replies: [30] },
  { limit: 500, offset: 330, replies: [100, 0] },
])('reads $limit requests from $offset in parts of at most 100', async ({ limit, offset, replies }) => {
  const worker = openWorker();
  const page = await readPage(worker.messaging, { accountId: 'a', limit, offset, filter: {} });
  expect(page).toEqual({ total: log.length, requests: log.slice(offset, offset + limit) });
  expect(worker.replies).toEqual(replies);
});
