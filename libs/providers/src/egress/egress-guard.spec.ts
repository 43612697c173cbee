import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { Agent, request } from 'undici';
import { createEgressGuard, type EgressGuard } from './egress-guard.ts';

const denied = expect.objectContaining({ code: 'egress_denied' }) as Error;
const resolvesTo =
  (...addresses: string[]) =>
  (_name: string, _options: unknown, done: (error: null, found: LookupAddress[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('checkUrl without allowed address blocks', () => {
  const guard = createEgressGuard({ allow: [] });

  test.each([
    ['https://api.openai.com/v1'],
    ['https://8.8.8.8/v1'],
    ['https://[2606:4700::6812:7c0]/v1'],
    ['https://[::ffff:8.8.8.8]/'],
  ])('allows the URL %s', (url) => {
    expect(() => guard.checkUrl(url)).not.toThrow();
  });

  test.each([
    ['no TLS', 'http://api.openai.com/v1'],
    ['no TLS', 'http://8.8.8.8/'],
    ['other scheme', 'ftp://8.8.8.8/'],
    ['other scheme', 'file:///etc/passwd'],
    ['user info', 'https://user:pass@api.openai.com/'],
    ['user info', 'https://api.openai.com@8.8.8.8/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback, decimal', 'https://2130706433/'],
    ['loopback, hexadecimal', 'https://0x7f000001/'],
    ['loopback, octal', 'https://0177.0.0.1/'],
    ['loopback, short', 'https://127.1/'],
    ['loopback, mixed', 'https://0x7f.1/'],
    ['loopback, full-width digits', 'https://１２７.0.0.1/'],
    ['loopback, percent-encoded', 'https://%31%32%37.0.0.1/'],
    ['loopback, trailing dot', 'https://127.0.0.1./'],
    ['unspecified', 'https://0.0.0.0/'],
    ['unspecified, short', 'https://0/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data/'],
    ['metadata, decimal', 'https://2852039166/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['mapped loopback', 'https://[::ffff:127.0.0.1]/'],
    ['mapped metadata', 'https://[::ffff:a9fe:a9fe]/'],
    ['NAT64 of loopback', 'https://[64:ff9b::7f00:1]/'],
    ['6to4 of loopback', 'https://[2002:7f00:1::]/'],
  ])('denies the URL %s: %s', (_kind, url) => {
    expect(() => guard.checkUrl(url)).toThrow(denied);
  });
});

describe('checkUrl with allowed address blocks', () => {
  const guard = createEgressGuard({ allow: ['127.0.0.0/8', '10.1.2.3'], resolve: resolvesTo('127.0.0.1') });

  test.each([
    'http://127.0.0.1:8000/v1',
    'https://127.9.9.9/',
    'http://[::ffff:127.0.0.1]/',
    'http://10.1.2.3/',
  ])('allows the URL %s, even without TLS', (url) => {
    expect(() => guard.checkUrl(url)).not.toThrow();
  });

  test.each(['https://10.1.2.4/', 'https://[::1]/', 'http://8.8.8.8/', 'https://169.254.169.254/'])(
    'still denies the URL %s',
    (url) => {
      expect(() => guard.checkUrl(url)).toThrow(denied);
    },
  );

  test('throws for an entry that is not a CIDR block', () => {
    expect(() => createEgressGuard({ allow: ['10.0.0.0/8', 'localhost'] })).toThrow();
  });
});

describe('host names are checked by their resolved addresses', () => {
  const lookup = (guard: EgressGuard, all: boolean) =>
    new Promise((done, fail) => {
      guard.lookup('name.example', { all }, (error, address, family) =>
        error ? fail(error) : done(all ? address : [address, family]),
      );
    });

  test('resolves a public host name, with and without the `all` option', async () => {
    const guard = createEgressGuard({ allow: [], resolve: resolvesTo('8.8.8.8', '2606:4700::1') });
    await expect(lookup(guard, false)).resolves.toEqual(['8.8.8.8', 4]);
    await expect(lookup(guard, true)).resolves.toHaveLength(2);
  });

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['8.8.8.8', '::1']],
    [['::ffff:169.254.169.254']],
    [[]],
  ])('denies a host name that resolves to %j', async (addresses) => {
    const guard = createEgressGuard({ allow: [], resolve: resolvesTo(...addresses) });
    await expect(lookup(guard, true)).rejects.toEqual(denied);
    await expect(guard.checkResolved('https://name.example/v1')).rejects.toEqual(denied);
  });

  test('without TLS, denies a public host name and allows a host name in an allowed address block', async () => {
    const allow = ['127.0.0.0/8'];
    const outside = createEgressGuard({ allow, resolve: resolvesTo('8.8.8.8') });
    await expect(outside.checkResolved('http://name.example/')).rejects.toEqual(denied);
    await expect(outside.checkResolved('https://name.example/')).resolves.toBeUndefined();
    const inside = createEgressGuard({ allow, resolve: resolvesTo('127.0.0.1') });
    await expect(inside.checkResolved('http://name.example/')).resolves.toBeUndefined();
  });

  test('rejects a provider address whose host name does not resolve', async () => {
    const guard = createEgressGuard({
      allow: [],
      resolve: (_name, _options, done) => done(new Error('ENOTFOUND'), []),
    });
    await expect(guard.checkResolved('https://name.example/')).rejects.toEqual(denied);
  });
});

describe('the gateway’s own addresses', () => {
  const gateway = {
    origins: ['https://gateway.example', 'http://edge-gateway.agents.svc.cluster.local'],
    ports: [8080],
    addresses: ['10.0.0.7', 'fd00::7'],
  };
  const allow = ['127.0.0.0/8', '10.0.0.0/8', '::1', 'fd00::/8'];
  const guard = createEgressGuard({ allow, gateway, resolve: resolvesTo('127.0.0.1') });
  const looped = expect.objectContaining({ code: 'request_loop' }) as Error;

  test.each([
    'https://gateway.example/v1',
    'https://GATEWAY.example:443/v1',
    'https://gateway.example./v1',
    'http://edge-gateway.agents.svc.cluster.local/v1',
    'http://127.0.0.1:8080/v1',
    'http://127.9.9.9:8080/v1',
    'https://127.0.0.1:8080/v1',
    'http://2130706433:8080/v1',
    'http://[::1]:8080/v1',
    'http://[::ffff:127.0.0.1]:8080/v1',
    'http://0.0.0.0:8080/v1',
    'http://10.0.0.7:8080/v1',
    'http://[fd00:0:0:0::7]:8080/v1',
  ])('%s is an address of the gateway and is denied', async (url) => {
    expect(() => guard.checkUrl(url)).toThrow(looped);
    await expect(guard.isOwn(url)).resolves.toBe(true);
  });

  test.each([
    'http://127.0.0.1:8081/v1',
    'http://10.0.0.8:8080/v1',
    'https://gateway.example:8443/v1',
    'https://other.example/v1',
  ])('%s is not an address of the gateway', async (url) => {
    expect(() => guard.checkUrl(url)).not.toThrow();
    await expect(guard.isOwn(url)).resolves.toBe(false);
  });

  test('recognizes a host name that resolves to the gateway, at the gateway’s port', async () => {
    await expect(guard.isOwn('http://name.example:8080/v1')).resolves.toBe(true);
    await expect(guard.isOwn('http://name.example:9000/v1')).resolves.toBe(false);
    const elsewhere = createEgressGuard({ allow, gateway, resolve: resolvesTo('10.0.0.8') });
    await expect(elsewhere.isOwn('http://name.example:8080/v1')).resolves.toBe(false);
  });
});

describe('connections', () => {
  let server: Server;
  let port: number;
  let served = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      served += 1;
      response.end('ok');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  const get = async (guard: EgressGuard, url: string): Promise<number> => {
    const agent = new Agent({ connect: guard.connect });
    try {
      const { statusCode, body } = await request(url, { dispatcher: agent });
      await body.dump();
      return statusCode;
    } finally {
      await agent.close();
    }
  };

  test('connections reach an allowed address, by IP address and by host name', async () => {
    const guard = createEgressGuard({ allow: ['127.0.0.0/8'], resolve: resolvesTo('127.0.0.1') });
    await expect(get(guard, `http://127.0.0.1:${port}/`)).resolves.toBe(200);
    await expect(get(guard, `http://name.example:${port}/`)).resolves.toBe(200);
  });

  test('connections never reach the gateway’s own port, by IP address or by host name', async () => {
    const before = served;
    const gateway = { origins: [], ports: [port], addresses: [] };
    const guard = createEgressGuard({ allow: ['127.0.0.0/8'], gateway, resolve: resolvesTo('127.0.0.1') });
    const looped = expect.objectContaining({ code: 'request_loop' }) as Error;
    await expect(get(guard, `http://127.0.0.1:${port}/`)).rejects.toEqual(looped);
    await expect(get(guard, `http://name.example:${port}/`)).rejects.toEqual(looped);
    expect(served).toBe(before);
  });

  test('connections never reach a denied address, even if the caller did not check the URL', async () => {
    const before = served;
    const guard = createEgressGuard({ allow: ['10.0.0.0/8'], resolve: resolvesTo('127.0.0.1') });
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://name.example:${port}/`,
      `https://name.example:${port}/`,
    ]) {
      await expect(get(guard, url)).rejects.toEqual(denied);
    }
    expect(served).toBe(before);
  });

  test("connections reach the operator's own origin, but no other address in its private range", async () => {
    const own = `http://sandbox.internal:${port}`;
    const guard = createEgressGuard({
      allow: [],
      ownOrigins: [`${own}/v1`],
      resolve: resolvesTo('127.0.0.1'),
    });
    await expect(get(guard, `${own}/`)).resolves.toBe(200);
    expect(() => guard.checkCall(`${own}/v1/chat/completions`)).not.toThrow();
    const before = served;
    for (const url of [
      `http://other.internal:${port}/`,
      `https://other.internal:${port}/`,
      `http://127.0.0.1:${port}/`,
      `https://sandbox.internal:${port}/`,
      `http://sandbox.internal:${port + 1}/`,
    ])
      await expect(get(guard, url)).rejects.toEqual(denied);
    expect(served).toBe(before);
  });

  test("an account can never save the operator's own origin as an address", () => {
    const guard = createEgressGuard({ allow: [], ownOrigins: ['http://sandbox.internal'] });
    expect(() => guard.checkUrl('http://sandbox.internal/v1')).toThrow(denied);
  });

  test("a link never leads to the operator's own origin, even at an allowed address", () => {
    const guard = createEgressGuard({ allow: ['127.0.0.0/8'], ownOrigins: ['http://sandbox.internal'] });
    expect(() => guard.checkLink('http://sandbox.internal/v1')).toThrow(denied);
    expect(() => guard.checkLink('https://10.0.0.1/')).toThrow(denied);
    expect(() => guard.checkLink('https://cdn.example/v.mp4')).not.toThrow();
  });

  test('connections use the checked address, so DNS rebinding has no effect', async () => {
    let lookups = 0;
    const guard = createEgressGuard({
      allow: ['127.0.0.0/8'],
      resolve: (_name, _options, done) => {
        lookups += 1;
        done(null, [{ address: lookups === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
      },
    });
    await expect(get(guard, `http://rebinding.example:${port}/`)).resolves.toBe(200);
    expect(lookups).toBe(1);
    await expect(get(guard, `http://rebinding.example:${port}/`)).rejects.toEqual(denied);
  });
});
