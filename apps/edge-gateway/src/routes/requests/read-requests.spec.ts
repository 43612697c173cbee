import { listRequests, readRequests } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { RequestPages } from './read-requests.ts';

const log = Array.from({ length: 430 }, (_, at) => ({ id: `request ${at}` }));

interface Query {
  readonly offset: number;
  readonly limit: number;
  readonly further: number;
  readonly ids: readonly string[];
}

/**
 * Opens a worker with the log of this test. The worker records the number of requests in each of its replies, and how
 * often it sorts the log. A worker of the previous release returns no ids of further requests.
 */
function openWorker(release: 'this' | 'previous' = 'this') {
  const replies: number[] = [];
  let sorts = 0;
  const reply = <Reply extends { readonly requests: readonly object[] }>(answer: Reply) => {
    replies.push(answer.requests.length);
    return Promise.resolve(answer);
  };
  const call = (contract: unknown, { offset, limit, further, ids }: Query) => {
    if (contract === readRequests) return reply({ requests: log.filter(({ id }) => ids.includes(id)) });
    expect(contract).toBe(listRequests);
    sorts += 1;
    const end = offset + limit;
    const others = log.slice(end, end + further).map(({ id }) => id);
    const page = { total: log.length, requests: log.slice(offset, end) };
    return reply(release === 'this' ? { ...page, further: others } : page);
  };
  const messaging = { call } as unknown as Pick<Messaging, 'call'>;
  return { replies, messaging, countSorts: () => sorts };
}

const order = { by: 'cost_usd', isDescending: true } as const;
const pages = [
  { limit: 500, offset: 0, replies: [100, 100, 100, 100, 30] },
  { limit: 250, offset: 10, replies: [100, 100, 50] },
  { limit: 100, offset: 0, replies: [100] },
  { limit: 50, offset: 400, replies: [30] },
  { limit: 500, offset: 330, replies: [100] },
];

describe.each([undefined, order])('a page in the order %j', (by) => {
  const query = { accountId: 'a', filter: {}, ...(by === undefined ? {} : { order: by }) };

  it.each(pages)(
    'of $limit requests from $offset is read in parts of at most 100, and sorted once',
    async ({ limit, offset, replies }) => {
      const worker = openWorker();
      const page = await new RequestPages(worker.messaging).read({ ...query, limit, offset });
      expect(page).toEqual({ total: log.length, requests: log.slice(offset, offset + limit) });
      expect(worker.replies).toEqual(replies);
      expect(worker.countSorts()).toBe(1);
    },
  );

  it.each(pages)(
    'of $limit requests from $offset is whole with a worker of the previous release',
    async ({ limit, offset }) => {
      const worker = openWorker('previous');
      const page = await new RequestPages(worker.messaging).read({ ...query, limit, offset });
      expect(page.requests).toEqual(log.slice(offset, offset + limit));
    },
  );
});
