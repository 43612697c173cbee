import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SignJWT, type JWTPayload } from 'jose';
import { closeServer, listenOnLoopback } from '../loopback/loopback-server.ts';

export interface TokenIssuerOptions {
  /** The port of the token issuer. The default is a free port. */
  readonly port?: number;
  /** Additional fields for the OpenID Connect discovery document. */
  readonly describe?: (issuer: string) => object;
  /**
   * Handles requests that the basic token issuer does not handle, such as requests for a sign-in page.
   * Returns false if the function did not handle the request.
   */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

type Algorithm = 'RS256' | 'ES256';

/**
 * Additional claims for a token. By default, the token has a subject and is valid for ten minutes. A claim
 * with the value undefined is omitted from the token.
 */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** The signing key. A key outside the published key set simulates a token from another issuer. */
  readonly key?: IssuerKey;
}

export interface IssuerKey {
  readonly kid: string;
  readonly alg: Algorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/**
 * An OpenID Connect issuer on loopback, which serves a discovery document and a key set, and signs
 * tokens with its keys.
 */
export interface TokenIssuer {
  readonly issuer: string;
  /** Number of received requests for the key set. */
  readonly keySetReads: number;
  /** The published signing keys, newest last. */
  readonly keys: readonly IssuerKey[];
  /**
   * Publishes a new signing key, which signs all later tokens. The older keys are removed unless the caller
   * chooses to keep them.
   */
  rotate(options?: { readonly alg?: Algorithm; readonly keepOld?: boolean }): IssuerKey;
  issue(subject: string, audience: string, changes?: TokenChanges): Promise<string>;
  /** Sets whether the token issuer responds to every request with status 503. */
  setAway(away: boolean): void;
  close(): Promise<void>;
}

export function createIssuerKey(alg: Algorithm = 'RS256'): IssuerKey {
  const pair =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: randomUUID(), alg, ...pair };
}

export async function startTokenIssuer(options: TokenIssuerOptions = {}): Promise<TokenIssuer> {
  let keys: IssuerKey[] = [createIssuerKey()];
  let away = false;
  let keySetReads = 0;
  const server = createServer((request, response) => {
    // Web pages from other origins also send requests to the token issuer.
    response.setHeader('access-control-allow-origin', '*');
    if (!away && options.answer?.(request, response) === true) return;
    const isKeySet = request.url === '/keys';
    if (isKeySet) keySetReads += 1;
    const document = isKeySet
      ? { keys: keys.map(renderKey) }
      : request.url === '/.well-known/openid-configuration'
        ? { issuer, jwks_uri: `${issuer}/keys`, ...options.describe?.(issuer) }
        : null;
    response.writeHead(away ? 503 : document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  const issuer = await listenOnLoopback(server, options.port);
  return {
    issuer,
    get keySetReads() {
      return keySetReads;
    },
    get keys() {
      return keys;
    },
    rotate: ({ alg = 'RS256', keepOld = false } = {}) => {
      const key = createIssuerKey(alg);
      keys = [...(keepOld ? keys : []), key];
      return key;
    },
    issue: (subject, audience, changes = {}) =>
      signToken({ iss: issuer, aud: audience, sub: subject }, changes.key ?? lastOf(keys), changes),
    setAway: (value) => void (away = value),
    close: () => closeServer(server),
  };
}

function lastOf(keys: readonly IssuerKey[]): IssuerKey {
  const key = keys.at(-1);
  if (!key) throw new Error('the issuer has no key');
  return key;
}

function signToken(named: JWTPayload, key: IssuerKey, { claims, header }: TokenChanges): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ ...named, iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })
    .sign(key.privateKey);
}

function renderKey({ kid, alg, publicKey }: IssuerKey): object {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
}
