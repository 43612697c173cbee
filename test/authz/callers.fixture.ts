import { crc32 } from 'node:zlib';
import { createApiKey } from '@gateway/interchange';
import type { Access } from '../../apps/edge-gateway/src/openapi/operation.ts';
import { forgeTokens } from '@gateway/testing';
import type { World } from './world.fixture.ts';

/** A caller without access, and the error responses that the caller must receive. */
export interface RefusedCaller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The error code that the caller must get from a route, by the route's access rule. An access rule that
   * permits the caller has no entry.
   */
  readonly refusals: Readonly<Partial<Record<Exclude<Access, 'public'>, string>>>;
  /** The address of another gateway. By default, calls go to the shared gateway. */
  readonly baseUrl?: string;
}

type Refusals = RefusedCaller['refusals'];

const toKey = (outcome: string, toSession: string): Refusals => ({
  'api-key': outcome,
  pipeline: outcome,
  'api-key-or-session': outcome,
  session: toSession,
});
const nobody = toKey('401 missing_api_key', '401 missing_session_token');
const junk = toKey('401 invalid_api_key', '401 invalid_session_token');
/** The responses to an invalid API key, by the kind of credential that the route requires. */
const badKey = toKey('401 invalid_api_key', '403 session_required');
const expiredKey = toKey('401 expired_api_key', '403 session_required');

/** The gateway recognizes a session token by the token's format, even if the token is invalid. */
const badSession = (code: string): Refusals => ({
  'api-key': '403 api_key_required',
  pipeline: '403 api_key_required',
  'api-key-or-session': `401 ${code}`,
  session: `401 ${code}`,
});
const badToken = badSession('invalid_session_token');

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Returns callers without a valid API key. */
export function callersWithoutKey(world: World): RefusedCaller[] {
  const good = world.owner.account.apiKey;
  const last = good.at(-1) === 'x' ? 'y' : 'x';
  return [
    { name: 'no key', headers: {}, refusals: nobody },
    { name: 'an empty authorization header', headers: { authorization: '' }, refusals: nobody },
    { name: 'a scheme without a key', headers: { authorization: 'Bearer' }, refusals: nobody },
    { name: 'another scheme', headers: { authorization: `Basic ${btoa(`${good}:`)}` }, refusals: nobody },
    { name: 'a key without a scheme', headers: { authorization: good }, refusals: nobody },
    { name: 'a key in a cookie', headers: { cookie: `api_key=${good}; session=${good}` }, refusals: nobody },
    { name: 'a malformed key', headers: bearer('not-a-key'), refusals: junk },
    { name: 'a truncated key', headers: bearer(good.slice(0, -1)), refusals: badKey },
    { name: 'only the prefix of a key', headers: bearer(good.slice(0, 11)), refusals: badKey },
    { name: 'a key with a wrong checksum', headers: bearer(good.slice(0, -1) + last), refusals: badKey },
    {
      name: 'another key with the same prefix and a valid checksum',
      headers: bearer(withSamePrefix(good)),
      refusals: badKey,
    },
    { name: 'unknown', headers: bearer(createApiKey().key), refusals: badKey },
    { name: 'in capitals', headers: bearer(good.toUpperCase()), refusals: junk },
    { name: 'SQL in place of a key', headers: bearer(`'/**/OR/**/'1'='1`), refusals: junk },
    { name: 'SQL behind a key', headers: bearer(`${good}'--`), refusals: badKey },
    { name: 'revoked', headers: bearer(world.revokedKey), refusals: badKey },
    { name: 'an expired key', headers: bearer(world.expiredKey), refusals: expiredKey },
    { name: 'NATS subject wildcards', headers: bearer('account.>'), refusals: junk },
  ];
}

/** Returns callers with a valid credential of a kind that the route does not accept. */
export function callersOfOtherKind({ owner }: World): RefusedCaller[] {
  return [
    {
      name: 'a valid key',
      headers: bearer(owner.account.apiKey),
      refusals: { session: '403 session_required' },
    },
    {
      name: 'a valid session token',
      headers: bearer(owner.person.accessToken),
      refusals: { 'api-key': '403 api_key_required', pipeline: '403 api_key_required' },
    },
  ];
}

/** Returns callers without a valid session token. */
export function callersWithoutSession(world: World): RefusedCaller[] {
  const { owner, endedSession, issuer, foreignTokens } = world;
  const { accessToken, refreshToken, password } = owner.person;
  const forged = forgeTokens(accessToken, world.sessionKey);
  return [
    ...forged.map(({ name, token }) => ({ name, headers: bearer(token), refusals: badToken })),
    { name: 'the token of an ended login session', headers: bearer(endedSession), refusals: badToken },
    { name: 'a refresh token', headers: bearer(refreshToken), refusals: junk },
    { name: 'a password', headers: bearer(password.replaceAll(' ', '')), refusals: junk },
    {
      name: 'a session token in a cookie',
      headers: { cookie: `session=${accessToken}; access_token=${accessToken}` },
      refusals: nobody,
    },
    { name: 'a token of another issuer', headers: bearer(foreignTokens.good), refusals: badToken },
    ...foreignTokens.bad.map(({ name, token, code }) => ({
      name: `at a gateway with the issuer, a token with ${name}`,
      headers: bearer(token),
      refusals: badSession(code),
      baseUrl: issuer.baseUrl,
    })),
    {
      name: 'at a gateway with the issuer, a session token of the embedded identity provider',
      headers: bearer(accessToken),
      refusals: badToken,
      baseUrl: issuer.baseUrl,
    },
  ];
}

/**
 * Returns an API key that differs from the given key only in the last characters. A cache that compares only prefixes
 * would confuse the two API keys.
 */
function withSamePrefix(key: string): string {
  const checksumCharacters = 6;
  const body = key.slice(0, -checksumCharacters);
  const twin = body.slice(0, -1) + (body.at(-1) === 'a' ? 'b' : 'a');
  return twin + renderBase62(crc32(twin), checksumCharacters);
}

function renderBase62(value: number, characters: number): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let text = '';
  for (let rest = value; text.length < characters; rest = Math.floor(rest / 62))
    text = alphabet.charAt(rest % 62) + text;
  return text;
}
