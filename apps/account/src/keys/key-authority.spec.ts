import type { KeyScope } from '@gateway/contracts';
import type { AccountPolicy } from '../persistence/account-database.ts';
import {
  allParts,
  chooseScopes,
  findExcess,
  requireNoRaise,
  requireWithin,
  type KeyAuthority,
} from './key-authority.ts';

const account = { rate_limit_rpm: 600, daily_token_budget: 1_000, weekly_token_budget: 5_000 };
const policy = { rateLimitRpm: 600, dailyTokenBudget: 1_000n, weeklyTokenBudget: 5_000n } as AccountPolicy;
const all: readonly KeyScope[] = ['inference', 'read', 'manage'];
const future = new Date('2030-01-01T00:00:00Z');

/** Returns an API key that has all permissions of the account, except where `parts` restricts them. */
const keyWith = (
  parts: Partial<Omit<KeyAuthority, 'limits'>> & { limits?: Partial<typeof account> } = {},
) => ({
  scopes: all,
  expiresAt: null,
  allowedTools: null,
  deniedTools: null,
  ...parts,
  limits: { ...account, ...parts.limits },
});
const restrictions = [
  ['a lower rate', keyWith({ limits: { rate_limit_rpm: 599 } })],
  ['a lower daily budget', keyWith({ limits: { daily_token_budget: 0 } })],
  ['a lower weekly budget', keyWith({ limits: { weekly_token_budget: 4_999 } })],
  ['an expiry', keyWith({ expiresAt: future })],
  ['allowed tools', keyWith({ allowedTools: ['a'] })],
  ['an empty list of allowed tools', keyWith({ allowedTools: [] })],
  ['denied tools', keyWith({ deniedTools: ['a'] })],
] as const;

describe('the scopes of an API key after a call that does not specify scopes', () => {
  it.each(restrictions)('a new key with %s does not get the scope `manage`', (_name, key) => {
    expect(chooseScopes(null, key, policy)).toEqual(['inference', 'read']);
  });

  it.each(restrictions)('a key that gets %s loses the scope `manage`', (_name, key) => {
    expect(chooseScopes(keyWith(), key, policy)).toEqual(['inference', 'read']);
  });

  it.each(restrictions)(
    'a key that already has %s keeps the scope `manage` when another field changes',
    (_name, key) => {
      expect(chooseScopes(key, key, policy)).toEqual(all);
    },
  );

  it('an unrestricted key keeps the scope `manage`, even with higher limits than the account', () => {
    expect(chooseScopes(null, keyWith(), policy)).toEqual(all);
    expect(chooseScopes(null, keyWith({ limits: { rate_limit_rpm: 601 } }), policy)).toEqual(all);
    expect(chooseScopes(keyWith({ expiresAt: future }), keyWith(), policy)).toEqual(all);
  });

  it('a change that would remove all scopes is rejected', () => {
    const restricted = keyWith({ scopes: ['manage'], deniedTools: ['a'] });
    const refused = { code: 'invalid_field', param: 'scopes' };
    expect(() => chooseScopes(null, restricted, policy)).toThrow(expect.objectContaining(refused) as Error);
  });
});

describe('an API key that makes a change', () => {
  const actorWith = (authority: KeyAuthority, isRestricted = true) => ({
    keyId: 'the acting key',
    authority,
    name: 'the calling key',
    isRestricted,
  });
  const own = keyWith({
    scopes: ['read', 'manage'],
    limits: { rate_limit_rpm: 60 },
    expiresAt: future,
    allowedTools: ['a', 'b', 'c'],
    deniedTools: ['c'],
  });
  const within = keyWith({ ...own, scopes: ['read'] });
  const exceed = (granted: KeyAuthority, actor: KeyAuthority = own) =>
    findExcess(actorWith(actor), granted, allParts);

  it('may grant its own permissions, or fewer permissions', () => {
    expect(exceed(within)).toBeUndefined();
    expect(exceed({ ...within, limits: { ...own.limits, rate_limit_rpm: 1 } })).toBeUndefined();
    expect(exceed({ ...within, expiresAt: new Date(future.getTime() - 1) })).toBeUndefined();
    expect(exceed({ ...within, allowedTools: ['a'], deniedTools: null })).toBeUndefined();
    expect(exceed({ ...within, allowedTools: ['a', 'x'], deniedTools: ['x'] })).toBeUndefined();
  });

  it.each([
    ['scopes', { ...within, scopes: ['inference'] }],
    ['scopes', { ...within, scopes: ['manage'] }],
    ['rate_limit_rpm', { ...within, limits: { ...own.limits, rate_limit_rpm: 61 } }],
    ['daily_token_budget', { ...within, limits: { ...own.limits, daily_token_budget: 1_001 } }],
    ['weekly_token_budget', { ...within, limits: { ...own.limits, weekly_token_budget: 5_001 } }],
    ['expires_at', { ...within, expiresAt: null }],
    ['expires_at', { ...within, expiresAt: new Date(future.getTime() + 1) }],
    ['tools', { ...within, allowedTools: null }],
    ['tools', { ...within, allowedTools: ['a', 'x'] }],
    ['tools', { ...within, deniedTools: null }],
  ] as const)('may not grant more than its own permissions: %s (case %#)', (part, granted) => {
    expect(exceed(granted)).toBe(part);
    expect(() => requireWithin(actorWith(own), granted, allParts)).toThrow(
      expect.objectContaining({ code: 'grant_exceeds_key', param: allParts[part] }) as Error,
    );
  });

  it('whose only restriction is a list of denied tools may not grant these tools', () => {
    const denying = keyWith({ deniedTools: ['a', 'b'] });
    const granted = keyWith({ scopes: ['read'] });
    expect(exceed({ ...granted, deniedTools: ['b', 'a', 'x'] }, denying)).toBeUndefined();
    expect(exceed({ ...granted, allowedTools: ['x'] }, denying)).toBeUndefined();
    expect(exceed({ ...granted, deniedTools: ['a'] }, denying)).toBe('tools');
    expect(exceed({ ...granted, allowedTools: ['a'] }, denying)).toBe('tools');
  });

  it('without restrictions may grant `manage` and limits above the account’s limits, and a user may grant all permissions', () => {
    const generous = keyWith({ limits: { rate_limit_rpm: 1e7 } });
    expect(findExcess(actorWith(keyWith(), false), generous, allParts)).toBeUndefined();
    expect(findExcess(null, generous, allParts)).toBeUndefined();
  });

  it('may not raise an account limit above the limit of the key itself', () => {
    const unrestricted = actorWith(keyWith(), false);
    expect(() => requireNoRaise(unrestricted, { rate_limit_rpm: 600, daily_token_budget: 1 })).not.toThrow();
    expect(() => requireNoRaise(unrestricted, { rate_limit_rpm: 601 })).toThrow(
      expect.objectContaining({ code: 'grant_exceeds_key', param: 'policy.rate_limit_rpm' }) as Error,
    );
  });
});
