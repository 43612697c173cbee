import type { ApiKey, AuditChanges, AuditTarget, ToolListBody, UpdateApiKeyBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import {
  countToolListBytes,
  parseExpiry,
  parseToolList,
  renderApiKey,
  renderToolList,
} from './api-key-row.ts';
import { diffFields } from '../audit/diff-fields.ts';
import { recordAudit } from '../audit/record-audit.ts';
import {
  allParts,
  authorityOf,
  chooseScopes,
  openKeyChange,
  requireWithin,
  type GrantedParts,
  type KeyCall,
} from './key-authority.ts';
import { omitUndefined, takeNextEpoch } from '../persistence/row-changes.ts';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type { AccountDatabase, AccountModels } from '../persistence/account-database.ts';

/** Maximum number of active API keys per account. With this maximum, a list of all keys fits into one message. */
export const activeKeysMax = 1_000;
/**
 * Maximum number of revoked API keys that are kept per account. The request log shows the names of revoked
 * keys. If an account has more, the keys that were revoked first are deleted.
 */
const revokedKeysMax = 10_000;
/**
 * Maximum total size of the tool lists for all of an account's API keys, as JSON. This is half of the maximum
 * message size.
 */
const toolListBytesMax = 4 * 1024 * 1024;

export interface KeysContext {
  readonly database: AccountDatabase;
  /** The pepper for the hashes of API keys. 32 bytes. */
  readonly pepper: Buffer;
  readonly changes: Pick<ChangeAnnouncer, 'announceKeyChange'>;
}
export const KEY_PEPPER = Symbol('KeyPepper');

interface KeyChange<Body> extends KeyCall {
  readonly body: Body;
}

/** Renders an API key as the target of an audit event. */
export function targetOf({ id, name }: Pick<ApiKey, 'id' | 'name'>): AuditTarget {
  return { type: 'api_key', id, name };
}

/**
 * Lists the changes to an API key, for the audit log. The time of the last use of a key does not count as a
 * change.
 */
export function diffKeys(before: ApiKey, after: ApiKey): AuditChanges {
  return diffFields({ ...before, last_used_at: after.last_used_at }, after);
}

/**
 * Lists the account's active API keys, newest first, without playground keys. Returns an empty list for an
 * unknown account.
 */
export async function listKeys(
  { database }: Pick<KeysContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ keys: ApiKey[] }> {
  const models = database.forAccount(accountId);
  const [policy, keys] = await Promise.all([
    models.accountPolicy.findUnique({ where: { accountId } }),
    models.apiKey.findMany({
      where: { revokedAt: null, isPlayground: false },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: activeKeysMax,
    }),
  ]);
  return { keys: policy === null ? [] : keys.map((key) => renderApiKey(key, policy)) };
}

/**
 * Updates the given fields of an API key. If the change restricts the key, the scope `manage` is removed
 * unless the body specifies scopes. Throws `not_found` if the key is unknown, revoked or belongs to another
 * account. Throws `invalid_field` for an expiry in the past. Throws `insufficient_scope`, `own_key_change` or
 * `grant_exceeds_key` if the calling API key may not make the change.
 */
export async function updateKey(
  context: Pick<KeysContext, 'database' | 'changes'>,
  request: KeyChange<UpdateApiKeyBody>,
): Promise<{ key: ApiKey }> {
  const { accountId, keyId, body, actor } = request;
  const changes = renderChanges(body);
  const { key, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { found, policy, acting } = await openKeyChange(tx, request);
    const after = authorityOf({ ...found, ...changes }, policy);
    const scopes = body.scopes ? after.scopes : chooseScopes(authorityOf(found, policy), after, policy);
    requireWithin(acting, { ...after, scopes }, partsOf(body));
    const data = { ...changes, scopes: [...scopes], epoch };
    const row = await tx.apiKey.update({ where: { id: keyId }, data });
    const key = renderApiKey(row, policy);
    await recordAudit(
      tx,
      { accountId, actor, acting },
      {
        action: 'key.updated',
        target: targetOf(key),
        changes: diffKeys(renderApiKey(found, policy), key),
      },
    );
    return { key, epoch };
  });
  context.changes.announceKeyChange({ accountId, keyId, epoch });
  return { key };
}

function renderChanges(body: UpdateApiKeyBody) {
  return omitUndefined({
    name: body.name,
    rateLimitRpm: body.rate_limit_rpm,
    dailyTokenBudget: body.daily_token_budget,
    weeklyTokenBudget: body.weekly_token_budget,
    kTargetOverride: body.k_target_override,
    expiresAt: body.expires_at === undefined ? undefined : parseExpiry(body.expires_at, new Date()),
    scopes: body.scopes,
  });
}

/** Lists which parts of an API key's permissions the request body sets. */
function partsOf(body: UpdateApiKeyBody): GrantedParts {
  return Object.fromEntries(Object.entries(allParts).filter(([, field]) => field in body));
}

/**
 * Replaces one or both tool lists for an API key. Leaves a tool list unchanged if the caller omits the tool
 * list. Throws `not_found` if the key is unknown, revoked or belongs to another account. Throws
 * `invalid_field` if the account's tool lists become too long. A tool list removes the scope `manage` from
 * the key. Throws `insufficient_scope`, `own_key_change` or `grant_exceeds_key` if the calling API key may
 * not make the change.
 */
export async function setToolLists(
  context: Pick<KeysContext, 'database' | 'changes'>,
  request: KeyChange<ToolListBody>,
): Promise<{ key: ApiKey }> {
  const { accountId, keyId, body, actor } = request;
  const { key, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { found, policy, acting } = await openKeyChange(tx, request);
    const { allowed_tools: allowedTools = parseToolList(found.allowedTools) } = body;
    const { denied_tools: deniedTools = parseToolList(found.deniedTools) } = body;
    const after = authorityOf({ ...found, allowedTools, deniedTools }, policy);
    const param = body.allowed_tools === undefined ? 'denied_tools' : 'allowed_tools';
    requireWithin(acting, after, { tools: param });
    const row = await tx.apiKey.update({
      where: { id: keyId },
      data: {
        allowedTools: renderToolList(allowedTools),
        deniedTools: renderToolList(deniedTools),
        toolListBytes: countToolListBytes(allowedTools) + countToolListBytes(deniedTools),
        scopes: [...chooseScopes(authorityOf(found, policy), after, policy)],
        epoch,
      },
    });
    await rejectLongLists(tx, body.allowed_tools ? 'allowed_tools' : 'denied_tools');
    const key = renderApiKey(row, policy);
    await recordAudit(
      tx,
      { accountId, actor, acting },
      {
        action: 'key.tool_lists_updated',
        target: targetOf(key),
        changes: diffKeys(renderApiKey(found, policy), key),
      },
    );
    return { key, epoch };
  });
  context.changes.announceKeyChange({ accountId, keyId, epoch });
  return { key };
}

/**
 * Throws `invalid_field` if the combined tool lists of an account's API keys are too long.
 * @param param the field in the caller's request that added the tool list
 */
export async function rejectLongLists(
  tx: AccountModels,
  param: 'allowed_tools' | 'denied_tools',
): Promise<void> {
  const sums = await tx.apiKey.aggregate({ where: { revokedAt: null }, _sum: { toolListBytes: true } });
  if ((sums._sum.toolListBytes ?? 0) <= toolListBytesMax) return;
  throw new GatewayError('invalid_field', {
    param,
    message: `The tool lists of all keys of an account may have at most ${toolListBytesMax} bytes together.`,
  });
}

/**
 * Revokes an API key. Throws `not_found` if the key is unknown, revoked or belongs to another account. If a key
 * is revoked twice, the revocation is announced twice, because the first call may have failed after its commit.
 */
export async function revokeKey(
  context: Pick<KeysContext, 'database' | 'changes'>,
  { accountId, keyId, actor }: Omit<KeyChange<never>, 'body'>,
): Promise<{ keyId: string }> {
  const { epoch, isRepeated } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { count } = await tx.apiKey.updateMany({
      where: { id: keyId, revokedAt: null },
      data: { revokedAt: new Date(), epoch },
    });
    if (count === 0) {
      if ((await tx.apiKey.count({ where: { id: keyId } })) === 0) throw new GatewayError('not_found');
      return { epoch, isRepeated: true };
    }
    const { name } = await tx.apiKey.findUniqueOrThrow({ where: { id: keyId }, select: { name: true } });
    const target = targetOf({ id: keyId, name });
    await recordAudit(tx, { accountId, actor }, { action: 'key.revoked', target });
    await deleteOldest(tx);
    return { epoch, isRepeated: false };
  });
  context.changes.announceKeyChange({ accountId, keyId, epoch, revoked: true });
  if (isRepeated) throw new GatewayError('not_found');
  return { keyId };
}

/**
 * Deletes the oldest revoked API key above the limit. Each call follows the revocation of one key, so at most
 * one key has to be deleted.
 */
async function deleteOldest(tx: AccountModels): Promise<void> {
  const [oldest] = await tx.apiKey.findMany({
    where: { revokedAt: { not: null } },
    orderBy: [{ revokedAt: 'desc' }, { id: 'desc' }],
    skip: revokedKeysMax,
    take: 1,
    select: { id: true },
  });
  if (oldest) await tx.apiKey.delete({ where: { id: oldest.id } });
}
