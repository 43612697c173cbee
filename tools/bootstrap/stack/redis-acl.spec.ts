import { redisRights, redisUsers, renderRedisAcl } from './redis-acl.ts';

const passwords = Object.fromEntries(redisUsers.map((user) => [user, `password of ${user}`]));
const options = { server: 'cache', adminPassword: 'password of the administrator', passwords } as const;

test('the ACL file rejects a user without a password', () => {
  expect(() => renderRedisAcl({ ...options, passwords: {} })).toThrow('no password');
});

test('the ACL file contains hashes and no passwords, and no user without a password', () => {
  const lines = renderRedisAcl(options).trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[1])).toEqual(['default', ...Object.keys(redisRights.cache)]);
  for (const line of lines) {
    expect(line).toMatch(/^user [a-z-]+ on #[0-9a-f]{64} /);
    expect(line).not.toContain('password of');
    expect(line).not.toContain('nopass');
  }
});

test('only the edge and the account service share keys of the cache, namely the keys of the epoch board', () => {
  const patterns = Object.values(redisRights.cache).flatMap(({ keys }) => keys);
  expect(patterns.filter((pattern, at) => patterns.indexOf(pattern) !== at)).toEqual(['epoch:*']);
});

// The permissions of the Redis users are tested on real Redis servers in test/authz/redis-users.spec.ts.
