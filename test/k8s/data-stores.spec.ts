import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { redisRights } from '../../tools/bootstrap/stack/redis-acl.ts';
import { renderDevSecrets } from './dev-secrets.fixture.ts';
import { overlays, renderOverlay, root } from './kustomize.fixture.ts';
import { findVariable, listWorkloads } from './workloads.fixture.ts';

const composeFile = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({
      command: z.union([z.string(), z.array(z.string())]).optional(),
      environment: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
const workloadCommand = z.looseObject({ command: z.array(z.string()) });

describe('the Redis servers', () => {
  const composeText = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8');
  const compose = composeFile.parse(parse(composeText, { merge: true })).services;
  const workloads = listWorkloads(renderOverlay('dev'));
  const commandOf = (name: string) =>
    workloadCommand.parse(workloads.find((each) => each.name === name)?.container).command.join(' ');
  const topologies = [
    ['compose', (name: string) => [compose[name]?.command ?? []].flat().join(' ')],
    ['the dev overlay', commandOf],
  ] as const;

  test.each(topologies)(
    'the Redis servers of %s are a queue that never evicts keys and a cache that evicts keys',
    (_, read) => {
      const [queue, cache] = [read('redis'), read('redis-cache')];
      expect(queue).toMatch(/--appendonly yes .*--maxmemory \d+mb .*--maxmemory-policy noeviction/);
      expect(cache).toMatch(/--appendonly no .*--maxmemory \d+mb .*--maxmemory-policy allkeys-lru/);
      expect([queue, cache].map((text) => /--aclfile \S+\/(\S+)/.exec(text)?.[1])).toEqual([
        'queue.acl',
        'cache.acl',
      ]);
    },
  );

  test('each service has one Redis user in compose and the dev overlay, and no other service gets the user’s password', () => {
    const secrets = Object.fromEntries(
      renderDevSecrets().map(({ metadata, stringData }) => [metadata.name, stringData]),
    );
    for (const [server, variable, host] of [
      ['queue', 'REDIS_URL', 'redis'],
      ['cache', 'REDIS_CACHE_URL', 'redis-cache'],
    ] as const)
      for (const user of Object.keys(redisRights[server])) {
        expect(secrets[user]?.[variable]).toBe(`redis://${user}:password of ${user}@${host}:6379`);
        const password = `\${REDIS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}:?}`;
        expect(compose[user]?.environment[variable]).toBe(`redis://${user}:${password}@${host}:6379`);
      }
    expect(Object.values(secrets['redis-users'] ?? {}).join()).not.toContain('password of');
  });
});

describe.each(overlays)('overlay %s', (overlay) => {
  const workloads = listWorkloads(renderOverlay(overlay));
  const valueOf = (name: string, variable: string) => {
    const found = workloads.find((each) => each.name === name);
    return found && findVariable(found, variable);
  };

  test('the overlay sets sign-up and trusted proxies explicitly, and closes sign-up outside development', () => {
    expect(valueOf('account', 'SIGN_UP')).toBe(overlay === 'dev' ? 'open' : 'closed');
    expect(valueOf('edge-gateway', 'TRUSTED_PROXIES')).toBeDefined();
  });

  test('the overlay allows no private address range for the providers of all accounts', () => {
    expect(valueOf('edge-gateway', 'EGRESS_ALLOW')).toBeUndefined();
  });
});
