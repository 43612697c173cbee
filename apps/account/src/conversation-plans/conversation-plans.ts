import { conversationPlan, conversationPlanKeptDays, type ConversationPlanRecord } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isForeignKeyConflict } from '@gateway/persistence';
import type { AccountDatabase } from '../persistence/account-database.ts';

const dayMs = 86_400_000;
/**
 * How long conversations that begin with the same messages and tools share a plan, in milliseconds. Because
 * the plan is shared, a repeated first request gets the same tools.
 */
const sharedMs = 3_600_000;
/**
 * Maximum number of plans that one SQL statement deletes. Each SQL statement takes a fraction of a second.
 */
const plansAtOnce = 5_000;
/**
 * Maximum number of conversation plans per account, and maximum number of stored names of unchanged turns.
 * Above the maximum, the least recently used plans or names are deleted. Plans and names are counted
 * separately, so that many names from a compressor outage do not cause the deletion of plans.
 */
const plansMax = 100_000;

interface PlanContext {
  readonly database: AccountDatabase;
}

interface KeptPlan {
  readonly accountId: string;
  readonly name: string;
  readonly plan: ConversationPlanRecord;
  readonly replaces: boolean;
}

/**
 * Stores the tool plan of a conversation. A plan that was stored under the same name within the last hour is
 * kept, unless `replaces` is true. Returns the plan that is stored after the call. Throws `not_found` for an
 * unknown account.
 */
export async function keepPlan(
  { database }: PlanContext,
  { accountId, name: hex, plan, replaces }: KeptPlan,
): Promise<{ plan: ConversationPlanRecord }> {
  const { conversationPlan: plans } = database.forAccount(accountId);
  const name = Buffer.from(hex, 'hex');
  const now = new Date();
  const row = { plan, createdAt: now, usedAt: now };
  try {
    const { count } = await plans.createMany({ data: [{ accountId, name, ...row }], skipDuplicates: true });
    if (count === 1) return { plan };
  } catch (error) {
    throw isForeignKeyConflict(error) ? new GatewayError('not_found') : error;
  }
  const older = { createdAt: { lt: new Date(now.getTime() - sharedMs) } };
  await plans.updateMany({ where: { name, ...(replaces ? {} : older) }, data: row });
  const kept = await plans.findFirst({ where: { name } });
  return { plan: kept === null ? plan : conversationPlan.parse(kept.plan) };
}

/**
 * Returns the plan that is stored under the first matching name. Each read restarts the retention period of
 * the plan.
 */
export async function findPlan(
  { database }: PlanContext,
  { accountId, names }: { readonly accountId: string; readonly names: readonly string[] },
): Promise<{ plan: ConversationPlanRecord | null }> {
  const { conversationPlan: plans } = database.forAccount(accountId);
  const rows = await plans.findMany({
    where: { name: { in: names.map((name) => Buffer.from(name, 'hex')) } },
  });
  const found = names.flatMap(
    (hex) => rows.find(({ name }) => Buffer.from(name).toString('hex') === hex) ?? [],
  )[0];
  if (found === undefined) return { plan: null };
  const now = Date.now();
  if (found.usedAt.getTime() < now - dayMs)
    await plans.updateMany({ where: { name: found.name }, data: { usedAt: new Date(now) } });
  return { plan: conversationPlan.parse(found.plan) };
}

/**
 * Records that the messages after a model turn were sent unchanged. Throws `not_found` for an unknown
 * account.
 */
export async function keepUnchangedTurn(
  { database }: PlanContext,
  { accountId, name: hex }: { readonly accountId: string; readonly name: string },
): Promise<Record<string, never>> {
  const { conversationPlan: plans } = database.forAccount(accountId);
  const now = new Date();
  const row = { accountId, name: Buffer.from(hex, 'hex'), plan: {}, createdAt: now, usedAt: now };
  try {
    await plans.createMany({ data: [row], skipDuplicates: true });
  } catch (error) {
    throw isForeignKeyConflict(error) ? new GatewayError('not_found') : error;
  }
  return {};
}

/**
 * Returns the given names that `keepUnchangedTurn` has stored. Each read restarts the retention period of the
 * returned names.
 */
export async function findUnchangedTurns(
  { database }: PlanContext,
  { accountId, names }: { readonly accountId: string; readonly names: readonly string[] },
): Promise<{ names: string[] }> {
  const { conversationPlan: plans } = database.forAccount(accountId);
  const where = { name: { in: names.map((name) => Buffer.from(name, 'hex')) } };
  const rows = await plans.findMany({ where, select: { name: true, usedAt: true } });
  const now = Date.now();
  const agedBefore = new Date(now - dayMs);
  if (rows.some(({ usedAt }) => usedAt < agedBefore))
    await plans.updateMany({
      where: { ...where, usedAt: { lt: agedBefore } },
      data: { usedAt: new Date(now) },
    });
  return { names: rows.map(({ name }) => Buffer.from(name).toString('hex')) };
}

/**
 * Deletes plans that were not used for a long time. In accounts with too many plans or turns, the oldest
 * plans and turns are deleted. Several replicas can run this function concurrently.
 */
export async function trimPlans({ database }: PlanContext, now = Date.now(), max = plansMax): Promise<void> {
  const { conversationPlan: plans } = database.acrossAccounts;
  await deleteAll(database, { usedAt: { lt: new Date(now - conversationPlanKeptDays * dayMs) } });
  const active = await plans.groupBy({ by: ['accountId'], where: { usedAt: { gt: new Date(now - dayMs) } } });
  for (const { accountId } of active)
    for (const kind of [isPlan, isTurn]) await trimKind(database, { accountId, ...kind }, max);
}

/** Selects the stored names of unchanged turns, which have an empty plan. */
const isTurn = { plan: { equals: {} } };
const isPlan = { NOT: isTurn };

type Where = NonNullable<
  NonNullable<Parameters<AccountDatabase['acrossAccounts']['conversationPlan']['deleteMany']>[0]>['where']
>;

async function deleteAll(database: AccountDatabase, where: Where): Promise<void> {
  for (let count = plansAtOnce; count === plansAtOnce;)
    ({ count } = await database.acrossAccounts.conversationPlan.deleteMany({ where, limit: plansAtOnce }));
}

async function trimKind(database: AccountDatabase, where: Where, max: number): Promise<void> {
  const oldestKept = await database.acrossAccounts.conversationPlan.findFirst({
    where,
    orderBy: [{ usedAt: 'desc' }, { name: 'desc' }],
    skip: max - 1,
    select: { usedAt: true },
  });
  if (oldestKept !== null) await deleteAll(database, { ...where, usedAt: { lt: oldestKept.usedAt } });
}
