import { createEgressGuard } from '@gateway/providers';
import { UndiciUpstream } from './undici-upstream.adapter.ts';

it('keeps checked addresses only up to a total length', async () => {
  const checked: string[] = [];
  const guard = {
    ...createEgressGuard({ allow: [] }),
    checkCall: (url: string | URL) => void checked.push(String(url)),
    connect: (_target: unknown, done: (error: Error, socket: null) => void) =>
      done(new Error('closed'), null),
  };
  const loops = { renderHeader: () => 'agent-gateway-of-a-test' };
  const upstream = new UndiciUpstream({ guard, idleTimeoutMs: 60_000, loops });
  const { signal } = new AbortController();
  const send = (path: string) =>
    upstream
      .send({ url: `https://a.test/${path}`, method: 'GET', headers: {}, body: null, signal })
      .catch(() => undefined);
  await send('v1');
  await send('v1');
  expect(checked).toHaveLength(1);
  for (let at = 0; at < 200; at += 1) await send(`${at}-${'x'.repeat(32_000)}`);
  await send('v1');
  expect(checked.filter((url) => url === 'https://a.test/v1')).toHaveLength(2);
  await upstream.close();
});

it('a link never leads to a server of the operator, even if the server’s address is known', async () => {
  const url = 'http://127.0.0.1:1/v1';
  const guard = createEgressGuard({ allow: ['127.0.0.0/8'], ownOrigins: [url] });
  const loops = { renderHeader: () => 'agent-gateway-of-a-test' };
  const upstream = new UndiciUpstream({ guard, idleTimeoutMs: 60_000, loops });
  const { signal } = new AbortController();
  const call = { url, method: 'GET', headers: {}, body: null, signal } as const;
  await expect(upstream.send(call)).rejects.toMatchObject({ code: 'upstream_unreachable' });
  await expect(upstream.send({ ...call, isLinked: true })).rejects.toMatchObject({ code: 'egress_denied' });
  await upstream.close();
});
