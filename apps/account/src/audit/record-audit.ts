import type { Actor, AuditAction, AuditChanges, AuditTarget, RequestOrigin } from '@gateway/contracts';
import { newId } from '@gateway/persistence';
import type { AccountModels, Prisma } from '../persistence/account-database.ts';

/** An event that is added to the audit log. */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly target?: AuditTarget;
  /** The changed fields, as returned by `diffFields`. The changed fields never contain a secret. */
  readonly changes?: AuditChanges;
}

/**
 * The account and the actor that makes the change. A missing actor means that an operator command made the
 * change.
 */
export interface AuditPlace {
  readonly accountId: string;
  readonly actor?: Actor | undefined;
  /** The API key that makes the change, if the transaction has already read the key. */
  readonly acting?: { readonly name: string } | null;
}

/**
 * Adds an event to the account's audit log. The caller must use the transaction of the change, so that the
 * change and the event are stored atomically.
 */
export async function recordAudit(
  tx: AccountModels,
  { accountId, actor, acting }: AuditPlace,
  change: AuditedChange,
): Promise<void> {
  const who = await describeActor(tx, accountId, actor, acting?.name);
  const data = { accountId, ...renderEvent(change), ...who, ...renderOrigin(actor) };
  await tx.auditEvent.create({ data, select: { id: true } });
}

type ActorColumns = Pick<Prisma.AuditEventUncheckedCreateInput, 'actorType' | 'actorId' | 'actorName'>;

/**
 * The type, id and current name of an actor. For a deleted user, only the id is known.
 * @param keyName the name of the acting API key, if the caller has already read the key
 */
export async function describeActor(
  tx: Pick<AccountModels, 'apiKey' | 'person'>,
  accountId: string,
  actor: Actor | undefined,
  keyName?: string,
): Promise<ActorColumns> {
  if (actor?.personId) {
    const where = { id: actor.personId, accountId };
    const person = await tx.person.findFirst({ where, select: { email: true, subject: true } });
    const actorName = person?.email ?? person?.subject ?? null;
    return { actorType: 'person', actorId: actor.personId, actorName };
  }
  if (actor?.keyId) {
    const where = { id: actor.keyId, accountId };
    const actorName = keyName ?? (await tx.apiKey.findFirst({ where, select: { name: true } }))?.name ?? null;
    return { actorType: 'api_key', actorId: actor.keyId, actorName };
  }
  return { actorType: 'operator', actorId: null, actorName: null };
}

/** Renders an audit event with the current time. */
export function renderEvent({ action, target, changes }: AuditedChange) {
  return {
    id: newId(),
    at: new Date(),
    action,
    ...renderTarget(target),
    ...(changes === undefined ? {} : { changes: changes as Prisma.InputJsonObject }),
  };
}

export function renderTarget(target: AuditTarget | null | undefined) {
  return {
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    targetName: target?.name ?? null,
  };
}

export function renderOrigin(origin: RequestOrigin | undefined) {
  return {
    address: origin?.address ?? null,
    userAgent: origin?.userAgent ?? null,
    requestId: origin?.requestId ?? null,
  };
}

/**
 * Maximum number of failed sign-ins that are recorded per person and hour, so that password guesses cannot
 * fill the audit log.
 */
const failedSignInsMax = 20;
const hourMs = 3_600_000;

/** A person, identified by the issuer and the subject of the person's session tokens. */
export interface AuditedPerson {
  readonly issuer: string;
  readonly subject: string;
  /** The person's email address. */
  readonly name: string;
}

/** The audited actions that change a user's own sign-in. */
export type PersonAction = Extract<AuditAction, `${'session' | 'password' | 'email'}.${string}`>;

/**
 * Adds an event about a person's sign-in to the audit log of the person's account. No event is recorded for a
 * person without an account, because each audit log belongs to an account. Failed sign-ins beyond an hourly
 * limit are not recorded. Callers must respond to a failed sign-in without waiting for this function, because
 * the response time would reveal whether the person exists.
 */
export async function recordPersonEvent(
  tx: Pick<AccountModels, 'person' | 'auditEvent'>,
  { issuer, subject, name }: AuditedPerson,
  origin: RequestOrigin | undefined,
  action: PersonAction,
): Promise<void> {
  const person = await tx.person.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: { id: true, accountId: true },
  });
  if (person === null) return;
  const { accountId, id: actorId } = person;
  if (action === 'session.sign_in_failed') {
    const since = new Date(Date.now() - hourMs);
    const recorded = await tx.auditEvent.count({ where: { accountId, actorId, action, at: { gt: since } } });
    if (recorded >= failedSignInsMax) return;
  }
  const who = { actorType: 'person', actorId, actorName: name };
  const target: AuditTarget = { type: 'person', id: actorId, name };
  const data = { accountId, ...renderEvent({ action, target }), ...who, ...renderOrigin(origin) };
  await tx.auditEvent.create({ data, select: { id: true } });
}
