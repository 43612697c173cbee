import { randomBytes } from 'node:crypto';
import { NeedleIndex } from './needle-index.ts';

const secret = 'sk-svc-Zk3"9/ü+Qw8rT1yU5iO7pA2sD4fG6hJ8';
const index = new NeedleIndex([{ name: 'the key', value: secret }]);
const part = secret.slice(14, 27);
const around = (text: string | Buffer) =>
  Buffer.concat([randomBytes(1000), Buffer.from(text), randomBytes(1000)]);

test.each([
  ['raw', part],
  ['hex', Buffer.from(part).toString('hex')],
  ['hex', Buffer.from(part).toString('hex').toUpperCase()],
  ['url', encodeURIComponent(secret.slice(7))],
  ['json', JSON.stringify(secret.slice(7))],
  ['base64', Buffer.from(`${part}x`).toString('base64')],
  ['base64', Buffer.from(`1${part}`).toString('base64')],
  ['base64', Buffer.from(`12${part}xx`).toString('base64')],
  ['base64url', Buffer.from(`..${secret.slice(7)}`).toString('base64url')],
])('finds twelve characters in %s: %s', (encoding, text) => {
  const hits = index.find(around(text));
  expect(hits.map((hit) => hit.encoding)).toContain(encoding);
  expect(JSON.stringify(hits)).not.toContain(part.slice(0, 8));
});

test("finds nothing in a key's visible part, in eleven characters of a key, or in random bytes", () => {
  expect(index.find(around(secret.slice(0, 11)))).toEqual([]);
  expect(index.find(around(part.slice(0, 11)))).toEqual([]);
  expect(index.find(randomBytes(4_000_000))).toEqual([]);
});

test('ignores words but finds the characters between the words', () => {
  const named = new NeedleIndex([{ name: 'a key', value: 'first-credential-Zk39Qw8r-of-providers' }]);
  expect(named.find(around('provider-vault.list-credentials.v1'))).toEqual([]);
  expect(named.find(around('ial-Zk39Qw8r-'))).toHaveLength(1);
});

test("treats only a token's signature as secret", () => {
  const token = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzb21lYm9keSJ9.MEUCIQDxyzwvutsrqponml`;
  const tokens = new NeedleIndex([{ name: 'a token', value: token }]);
  expect(tokens.find(around(token.slice(0, token.lastIndexOf('.'))))).toEqual([]);
  expect(tokens.find(around(token))).toHaveLength(1);
});

test('searches many megabytes per second for thousands of secrets', () => {
  const many = Array.from({ length: 300 }, (_, at) => ({
    name: String(at),
    value: randomBytes(36).toString('base64'),
  }));
  const big = new NeedleIndex(many);
  const bytes = randomBytes(8_000_000);
  bytes.write(many[299]?.value.slice(5, 20) ?? '', 7_999_000);
  const before = process.cpuUsage();
  expect(big.find(bytes).map((hit) => hit.secret)).toEqual(['299']);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
