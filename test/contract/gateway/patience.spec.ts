import { GatewayError } from '@gateway/errors';
import { Patience } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-subject.ts';

const left = new AbortController().signal;
const fails = (asked: AbortSignal[], error: Error) => (signal: AbortSignal) => {
  asked.push(signal);
  return Promise.reject(error);
};
const away = new GatewayError('service_unavailable');

it('a query is repeated until it succeeds', async () => {
  const patience = new Patience(60_000);
  let count = 0;
  const ask = () => ((count += 1) < 3 ? Promise.reject(away) : Promise.resolve(count));
  expect(await patience.start(left).insist(ask)).toBe(3);
  expect(patience.isRested).toBe(true);
});

it('after a query has failed for the whole waiting time, every other request sends only one query with its own deadline', async () => {
  const patience = new Patience(300);
  const [asked, askedLater]: AbortSignal[][] = [[], []];
  await expect(patience.start(left).insist(fails(asked!, away))).rejects.toBe(away);
  expect(asked!.length).toBeGreaterThan(1);
  const hurry = new AbortController().signal;
  await expect(patience.start(left).insist(fails(askedLater!, away), hurry)).rejects.toBe(away);
  expect(askedLater).toEqual([hurry]);
});

it('a query that fails because of its content is not repeated, and delays no other request', async () => {
  const patience = new Patience(60_000);
  for (const code of ['request_too_large', 'invalid_field', 'not_found'] as const) {
    const asked: AbortSignal[] = [];
    const error = new GatewayError(code);
    await expect(patience.start(left).insist(fails(asked, error))).rejects.toBe(error);
    expect(asked).toHaveLength(1);
  }
  expect(patience.isRested).toBe(true);
});

it('the waits of other requests do not end when a client disconnects or an account exceeds its share', async () => {
  const patience = new Patience(300);
  await expect(patience.start(AbortSignal.abort()).insist(fails([], away))).rejects.toBe(away);
  const refused = new GatewayError('rate_limit_exceeded');
  await expect(patience.start(left).insist(fails([], refused))).rejects.toBe(refused);
  expect(patience.isRested).toBe(true);
});
