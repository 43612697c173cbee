/** Tests a chat request that contains its own access key. The test server verifies AWS Signature Version 4. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loadCatalog } from '@gateway/model-catalog';
import { createEgressGuard, findProvider, renderHostedCredential, type Provider } from '@gateway/providers';
import { EditedBytes } from '@gateway/wire-formats';
import { buildConnector } from 'undici';
import { BackendBook } from '../../../backends/backend-book.ts';
import { openConnections } from '../../../connections/open-connection.ts';
import { testIdentity } from '../../../http/tls-identity.fixture.ts';
import type { Target } from '../../../request/request.ts';
import { readWhole } from '../../../upstream/answer-body.ts';
import { isSignedBy } from '../../../upstream/aws-signature.fixture.ts';
import { UndiciUpstream } from '../../../upstream/undici-upstream.adapter.ts';
import { KeptReasoning } from './kept-reasoning.ts';
import { createAttempt } from '../../exchange/attempt.ts';
import { openExchange } from '../../exchange/exchange.fixture.ts';
import { callProvider } from './call-provider.ts';

const accessKey = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
const region = 'eu-west-1';
const none = (): undefined => undefined;

/** A local server that stands in for the AWS service in every region. */
async function startService() {
  const verdicts: { host: string | undefined; isSigned: boolean; token: unknown; body: string }[] = [];
  const server = createServer(testIdentity, (request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('end', () => {
        const body = Buffer.concat(chunks);
        const isSigned = isSignedBy(accessKey.secretAccessKey, request, body);
        const { host, 'x-amz-security-token': token } = request.headers;
        verdicts.push({ host, isSigned, token, body: body.toString() });
        response.writeHead(isSigned ? 200 : 403).end('{}');
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connector = buildConnector({ ca: testIdentity.cert, rejectUnauthorized: true });
  const connect: typeof connector = (target, callback) =>
    connector({ ...target, hostname: '127.0.0.1', port: String(port), servername: 'localhost' }, callback);
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { verdicts, connect, close };
}

it('a chat completion that brings an AWS access key is signed with this key, for the region of the key', async () => {
  const service = await startService();
  const guard = { ...createEgressGuard({ allow: [] }), connect: service.connect };
  const upstream = new UndiciUpstream({
    ...{ guard, idleTimeoutMs: 10_000, loops: { renderHeader: () => 'agent-gateway-of-a-test' } },
  });
  const backends = new BackendBook({
    messaging: { broadcast: none, onBroadcast: none } as never,
    inFlightMax: 100,
    metrics: { breakerChanges: { inc: none }, watchOpenBreakers: none } as never,
  });
  const target: Target = {
    provider: findProvider('hosted') as Provider,
    model: 'amazon.nova-lite-v1:0',
    lane: { kind: 'translated', format: 'converse' },
    ownCredential: renderHostedCredential({ kind: 'access-key', accessKey, region }),
  };
  const [connection] = await openConnections(target, { accountId: 'a' }, {
    ...{ backends, connections: { open: none }, settings: {} },
  } as never);
  const exchange = openExchange();
  const body = { model: target.model, messages: [{ role: 'user', content: 'Grüße' }] };
  const planned = {
    body: new EditedBytes(Buffer.from(JSON.stringify(body)), []),
    ...{ added: [], promptCacheKey: () => null, accountId: 'a' },
  };
  const candidate = { target, connection: connection! };
  const { signal } = exchange.abort;
  const services = {
    upstream,
    catalog: loadCatalog(),
    keptReasoning: new KeptReasoning({} as never, {} as never),
  };
  const reply = await callProvider(planned, candidate, createAttempt(target), exchange, signal, services);
  await readWhole(reply.body, 1_000);
  expect(reply.status).toBe(200);
  expect(service.verdicts).toEqual([
    {
      ...{ host: `bedrock-runtime.${region}.amazonaws.com`, isSigned: true, token: 'session' },
      body: expect.stringContaining('Grüße') as string,
    },
  ]);
  service.close();
  await upstream.close();
});
