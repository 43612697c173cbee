import type { FastifyReply, FastifyRequest } from 'fastify';
import { readDeviceTokens, setDeviceCookie } from './cookies.ts';

/** Returns a forged token. The gateway reads the subject of a device token without verification. */
const tokenOf = (sub: string, n = 0) =>
  ['{"alg":"EdDSA"}', JSON.stringify({ sub, n }), 'x']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

function set(token: string, cookie = '', protocol = 'http') {
  const sent: string[] = [];
  const request = { headers: { cookie }, protocol } as unknown as FastifyRequest;
  const reply = { header: (_name: string, value: string) => sent.push(value) } as unknown as FastifyReply;
  setDeviceCookie(request, reply, token);
  const [value = ''] = sent;
  return { value, cookie: value.split(';')[0] ?? '', tokens: read(value.split(';')[0] ?? '', protocol) };
}

const read = (cookie: string, protocol = 'http') =>
  readDeviceTokens({ headers: { cookie }, protocol } as unknown as FastifyRequest);

describe('the device cookie', () => {
  it('cannot be read by scripts or sent by other sites, and is sent only over TLS if the gateway uses TLS', () => {
    expect(set('a').value).toBe('svc_device=a; Path=/; Max-Age=15552000; HttpOnly; SameSite=Strict');
    expect(set('a', '', 'https').value).toBe(
      '__Host-svc_device=a; Path=/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure',
    );
  });

  it('contains one token for each of the last four users', () => {
    let cookie = '';
    for (const person of ['a', 'b', 'c', 'd', 'e']) ({ cookie } = set(tokenOf(person), cookie));
    const { tokens } = set(tokenOf('c', 1), cookie);
    expect(tokens).toEqual([tokenOf('c', 1), tokenOf('e'), tokenOf('d'), tokenOf('b')]);
  });

  it.each(['', 'other=1', 'svc_device=', 'svc_device=~~~', `svc_device=${'x'.repeat(1_025)}`])(
    'contains no token if the header is %s',
    (cookie) => {
      expect(read(cookie)).toEqual([]);
    },
  );

  it('contains at most four tokens', () => {
    expect(read(`svc_device=${Array.from({ length: 9 }, (_, n) => `t${n}`).join('~')}`)).toHaveLength(4);
  });
});
