import { createHmac, createPublicKey, createSign, generateKeyPairSync, type JsonWebKey } from 'node:crypto';

type Part = Record<string, unknown>;

/** Forged session tokens that must be rejected, keyed by the token's defect. */
export interface ForgedToken {
  readonly name: string;
  readonly token: string;
}

const render = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url');
const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Part;

function signHmac(header: Part, payload: Part, secret: string | Buffer): string {
  const signed = `${render(header)}.${render(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function signAsAttacker(header: Part, payload: Part): string {
  const signed = `${render(header)}.${render(payload)}`;
  const signature = createSign('sha256')
    .update(signed)
    .sign({ key: attacker.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/**
 * Creates every forgery that is possible with a valid session token and the issuer's public keys. `jwk` is
 * the issuer's public key (an entry in `/.well-known/jwks.json`), used for algorithm confusion. Endpoints
 * that accept session tokens must reject each forged token with 401 `invalid_session_token`. Endpoints that
 * accept only API keys must reject each forged token with 403 `api_key_required`.
 */
export function forgeTokens(valid: string, jwk: JsonWebKey): ForgedToken[] {
  const [head = '', body = '', tail = ''] = valid.split('.');
  const header = parse(head);
  const payload = parse(body);
  const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
  const attackerJwk = attacker.publicKey.export({ format: 'jwk' });
  const flipped = `${tail.startsWith('A') ? 'B' : 'A'}${tail.slice(1)}`;
  const as = (changes: Part) => signAsAttacker({ ...header, ...changes }, payload);
  const forged: Record<string, string> = {
    'alg none, no signature': `${render({ ...header, alg: 'none' })}.${body}.`,
    'alg None, the old signature': `${render({ ...header, alg: 'None' })}.${body}.${tail}`,
    'HS256 with the public key (PEM) as its secret': signHmac({ ...header, alg: 'HS256' }, payload, pem),
    'HS256 with the public key (JWK) as its secret': signHmac(
      { ...header, alg: 'HS256' },
      payload,
      JSON.stringify(jwk),
    ),
    'HS256 with an empty secret': signHmac({ ...header, alg: 'HS256', kid: '' }, payload, ''),
    'another key under the right kid': as({}),
    'another key that the header brings along (jwk)': as({ jwk: attackerJwk }),
    'another key that the header points to (jku)': as({ jku: 'https://attacker.example/jwks.json' }),
    'a kid that is a path': as({ kid: '../../../../dev/null' }),
    'a kid that is an address': as({ kid: 'https://attacker.example/key' }),
    'a kid that is SQL': as({ kid: "' UNION SELECT 'key" }),
    'no kid': as({ kid: undefined }),
    'a kid that is no text': as({ kid: { $ne: null } }),
    'an unknown critical header': as({ crit: ['b64'], b64: false }),
    'the payload changed': `${head}.${render({ ...payload, sub: '01900000-0000-7000-8000-000000000000' })}.${tail}`,
    'the header changed': `${render({ ...header, cty: 'JWT' })}.${body}.${tail}`,
    'the same beginning, another end': `${head}.${body}.${tail.slice(0, -4)}${tail.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`,
    'a signature with its first bits changed': `${head}.${body}.${flipped}`,
    'no signature': `${head}.${body}.`,
    'a signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'a longer signature': `${valid}AAAA`,
  };
  return Object.entries(forged).map(([name, token]) => ({ name, token }));
}
