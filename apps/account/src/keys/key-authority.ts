import type { Actor, KeyScope } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountModels, AccountPolicy, ApiKeyRow } from '../persistence/account-database.ts';
import {
  chooseLimits,
  parseScopes,
  parseToolList,
  type EffectiveLimits,
  type StoredLimits,
} from './api-key-row.ts';

/** All permissions of an API key, in a form that can be compared with the permissions of another key. */
export interface KeyAuthority {
  readonly scopes: readonly KeyScope[];
  readonly limits: EffectiveLimits;
  /** The time at which the key expires. Null if the key does not expire. */
  readonly expiresAt: Date | null;
  /**
   * The tools that the API key may use. If the list of allowed tools is null, all tools are allowed except the
   * denied tools.
   */
  readonly allowedTools: readonly string[] | null;
  readonly deniedTools: readonly string[] | null;
}

/** The API key that makes a change. */
export interface ActingKey {
  readonly keyId: string;
  readonly name: string;
  readonly authority: KeyAuthority;
  /** Whether the API key has tool lists, an expiry, or a limit below that of the account. */
  readonly isRestricted: boolean;
}

type StoredKey = StoredLimits & Pick<ApiKeyRow, 'scopes' | 'expiresAt' | 'allowedTools' | 'deniedTools'>;

/** Returns the permissions of an API key. The account's limits apply if the key has no limits. */
export function authorityOf(key: StoredKey, policy: AccountPolicy): KeyAuthority {
  return {
    scopes: parseScopes(key.scopes),
    limits: chooseLimits(key, policy),
    expiresAt: key.expiresAt,
    allowedTools: parseToolList(key.allowedTools),
    deniedTools: parseToolList(key.deniedTools),
  };
}

/**
 * Reads the API key that makes a change. Returns null for users and operators, because they may grant all
 * permissions. Reads the calling key in the transaction of the change, to detect a concurrent revocation or
 * restriction.
 * @throws GatewayError `invalid_api_key` for a revoked or expired key, or `insufficient_scope` for a key
 * without the scope `manage`
 */
export async function loadActingKey(
  tx: AccountModels,
  actor: Actor | undefined,
  policy: AccountPolicy,
): Promise<ActingKey | null> {
  const id = actor?.keyId ?? null;
  if (id === null) return null;
  return checkActingKey(await tx.apiKey.findUnique({ where: { id, revokedAt: null } }), policy);
}

function checkActingKey(key: ApiKeyRow | null | undefined, policy: AccountPolicy): ActingKey {
  if (!key || (key.expiresAt !== null && key.expiresAt <= new Date()))
    throw new GatewayError('invalid_api_key');
  const authority = authorityOf(key, policy);
  if (!authority.scopes.includes('manage')) throw new GatewayError('insufficient_scope');
  const isRestricted = restrictionsOf(authority, policy).size > 0;
  return { keyId: key.id, name: key.name, authority, isRestricted };
}

/**
 * A call that refers to one API key of an account. A call without an actor comes from an operator command.
 */
export interface KeyCall {
  readonly accountId: string;
  readonly keyId: string;
  readonly actor?: Actor | undefined;
}

/** A call that returns a new secret. */
export interface SecretCall {
  readonly accountId: string;
  /** The public key with which the secret is encrypted. */
  readonly recipientPublicKey: string;
  readonly idempotencyKeySha256?: string | undefined;
  /** The actor that makes the change, for the audit log. */
  readonly actor?: Actor | undefined;
}

/**
 * Reads the API key that is changed, the account's policy, and the API key that makes the change. Callers
 * must pass the transaction that locks the account's row.
 * @throws GatewayError `own_key_change` if a key would change itself.
 * @throws GatewayError `not_found` if the key is unknown, revoked, a playground key, or from another
 * account.
 * @throws GatewayError the errors of `loadActingKey`
 */
export async function openKeyChange(
  tx: AccountModels,
  { accountId, keyId, actor }: KeyCall,
): Promise<{ found: ApiKeyRow; policy: AccountPolicy; acting: ActingKey | null }> {
  if (actor?.keyId === keyId) throw new GatewayError('own_key_change');
  const actingId = actor?.keyId ?? null;
  const policy = await tx.accountPolicy.findUnique({ where: { accountId } });
  // One query for both keys is faster than two queries.
  const ids = actingId === null ? [keyId] : [keyId, actingId];
  const keys = await tx.apiKey.findMany({ where: { id: { in: ids }, revokedAt: null } });
  const found = keys.find(({ id, isPlayground }) => id === keyId && !isPlayground);
  if (policy === null || found === undefined) throw new GatewayError('not_found');
  if (actingId === null) return { found, policy, acting: null };
  const acting = checkActingKey(
    keys.find(({ id }) => id === actingId),
    policy,
  );
  return { found, policy, acting };
}

const limitNames = ['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget'] as const;

/**
 * Returns the restrictions of an API key as text, indexed by name. For an unrestricted key, the returned map is empty.
 */
function restrictionsOf(key: KeyAuthority, policy: AccountPolicy): Map<string, string> {
  const account = chooseLimits(
    { rateLimitRpm: null, dailyTokenBudget: null, weeklyTokenBudget: null },
    policy,
  );
  const found = new Map<string, string>();
  for (const limit of limitNames)
    if (key.limits[limit] < account[limit]) found.set(limit, String(key.limits[limit]));
  if (key.expiresAt !== null) found.set('expires_at', key.expiresAt.toISOString());
  if (key.allowedTools !== null) found.set('allowed_tools', JSON.stringify(key.allowedTools));
  if (key.deniedTools !== null) found.set('denied_tools', JSON.stringify(key.deniedTools));
  return found;
}

/**
 * Chooses the scopes of an API key if the request to create or change the key specifies no scopes. If the call
 * adds or changes a restriction, the scope `manage` is removed, because a restricted key is meant for an agent.
 * @param before the key's permissions before the call, or null for a new key.
 * @param after the key's permissions after the call, from which this function may still remove `manage`.
 * @throws GatewayError `invalid_field` if the key would have no scopes left
 */
export function chooseScopes(
  before: KeyAuthority | null,
  after: KeyAuthority,
  policy: AccountPolicy,
): KeyScope[] {
  const known = before === null ? new Map<string, string>() : restrictionsOf(before, policy);
  const isNewlyRestricted = [...restrictionsOf(after, policy)].some(
    ([name, value]) => known.get(name) !== value,
  );
  const scopes = after.scopes.filter((scope) => scope !== 'manage' || !isNewlyRestricted);
  if (scopes.length > 0) return scopes;
  throw new GatewayError('invalid_field', {
    param: 'scopes',
    message:
      'The key would have no scope, because a restricted key gets no "manage" by default. Give it another scope.',
  });
}

/** The name of one part of an API key's permissions. The part `tools` covers both tool lists (allowed and denied). */
export type AuthorityPart = 'scopes' | 'expires_at' | 'tools' | (typeof limitNames)[number];

/** The permissions that a call sets, each with the corresponding field in the caller's request. */
export type GrantedParts = Readonly<Partial<Record<AuthorityPart, string>>>;

/** Every part of an API key's permissions, with the corresponding field in the body that creates a key. */
export const allParts = {
  scopes: 'scopes',
  rate_limit_rpm: 'rate_limit_rpm',
  daily_token_budget: 'daily_token_budget',
  weekly_token_budget: 'weekly_token_budget',
  expires_at: 'expires_at',
  tools: 'allowed_tools',
} as const satisfies Record<AuthorityPart, string>;

/**
 * Checks that the API key that makes a change grants at most its own permissions. A user or an operator has all
 * permissions. An unrestricted API key may grant limits above the account's defaults. Any API key may grant
 * only its own scopes. Only users, operators and unrestricted keys can grant the scope `manage`.
 * @throws GatewayError `grant_exceeds_key`, with the field and the maximum that the key may grant
 */
export function requireWithin(acting: ActingKey | null, granted: KeyAuthority, parts: GrantedParts): void {
  const excess = findExcess(acting, granted, parts);
  if (acting !== null && excess !== undefined) throw refuseExcess(acting, excess, parts[excess] ?? excess);
}

/**
 * Checks that the acting API key sets no account limit that is higher than the key's own limit.
 * @param limits the account's new limits. Limits that do not change are absent. @throws GatewayError
 * `grant_exceeds_key`, with the field and the highest value that the key may set
 */
export function requireNoRaise(
  acting: ActingKey,
  limits: { readonly [Limit in keyof EffectiveLimits]?: number | undefined },
): void {
  const raised = limitNames.find((limit) => (limits[limit] ?? 0) > acting.authority.limits[limit]);
  if (raised !== undefined) throw refuseExcess(acting, raised, `policy.${raised}`);
}

function refuseExcess(acting: ActingKey, part: AuthorityPart, param: string): GatewayError {
  const bound = renderBound(acting, part, param);
  const message = `An API key cannot grant more than it has. ${bound} Use the dashboard to grant more.`;
  return new GatewayError('grant_exceeds_key', { param, message });
}

/** Returns the first of the given parts for which `granted` allows more than the caller's API key. */
export function findExcess(
  acting: ActingKey | null,
  granted: KeyAuthority,
  parts: GrantedParts,
): AuthorityPart | undefined {
  if (acting === null) return undefined;
  return (Object.keys(parts) as AuthorityPart[]).find((part) => !isWithin(acting, granted, part));
}

function isWithin(
  { authority, isRestricted }: ActingKey,
  granted: KeyAuthority,
  part: AuthorityPart,
): boolean {
  switch (part) {
    case 'scopes':
      return granted.scopes.every(
        (scope) => authority.scopes.includes(scope) && !(scope === 'manage' && isRestricted),
      );
    case 'expires_at':
      if (authority.expiresAt === null) return true;
      return granted.expiresAt !== null && granted.expiresAt <= authority.expiresAt;
    case 'tools':
      return allowsNoMoreTools(granted, authority);
    default:
      return !isRestricted || granted.limits[part] <= authority.limits[part];
  }
}

type ToolLists = Pick<KeyAuthority, 'allowedTools' | 'deniedTools'>;

/** Returns whether `own` allows every tool that `granted` allows. */
function allowsNoMoreTools(granted: ToolLists, own: ToolLists): boolean {
  const ownDenied = new Set(own.deniedTools);
  const denied = new Set(granted.deniedTools);
  if (granted.allowedTools === null)
    return own.allowedTools === null && [...ownDenied].every((tool) => denied.has(tool));
  const ownAllowed = own.allowedTools === null ? null : new Set(own.allowedTools);
  return granted.allowedTools.every(
    (tool) => denied.has(tool) || (!ownDenied.has(tool) && (ownAllowed === null || ownAllowed.has(tool))),
  );
}

function renderBound({ authority, isRestricted }: ActingKey, part: AuthorityPart, param: string): string {
  switch (part) {
    case 'scopes': {
      const own = authority.scopes.filter((scope) => scope !== 'manage' || !isRestricted);
      if (own.length === 0) return `This key may give no scope, so "${param}" cannot be set.`;
      return `"${param}" may contain only ${own.map((scope) => `"${scope}"`).join(' and ')}.`;
    }
    case 'expires_at':
      return `"${param}" may be ${authority.expiresAt?.toISOString() ?? 'any time'} at the latest.`;
    case 'tools':
      return `"${param}" may not allow a tool that the calling key may not use.`;
    default:
      return `"${param}" may be at most ${authority.limits[part]}.`;
  }
}
