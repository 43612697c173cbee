import { isUniqueConflict, newId } from '@gateway/persistence';
import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { RequestOrigin } from '@gateway/contracts';
import { recordAudit, renderEvent, renderOrigin } from '../audit/record-audit.ts';
import type { AccountsContext } from './manage-account.ts';

/**
 * Creates an account with the default policy and preferences. Returns the existing account if an operator has
 * already created an account with this name.
 */
export async function createAccount(
  { database }: Pick<AccountsContext, 'database'>,
  request: { name: string; isDemo: boolean },
): Promise<{ accountId: string; created: boolean }> {
  const accounts = database.acrossAccounts.account;
  const provisionedAs = `operator:${request.name}`;
  const find = () => accounts.findUnique({ where: { provisionedAs }, select: { id: true } });
  const found = await find();
  if (found) return { accountId: found.id, created: false };
  try {
    const id = newId();
    const registered = describeRegistration({ id, name: request.name });
    await accounts.create({
      data: {
        ...{ id, ...request, provisionedAs, policy: { create: {} }, routing: { create: {} } },
        auditEvents: { create: { ...registered, actorType: 'operator' } },
      },
      select: { id: true },
    });
    return { accountId: id, created: true };
  } catch (error) {
    const other = isUniqueConflict(error) ? await find() : null;
    if (other === null) throw error;
    return { accountId: other.id, created: false };
  }
}

/** The first event in the audit log of an account. */
function describeRegistration({ id, name }: { id: string; name: string }) {
  return renderEvent({ action: 'account.registered', target: { type: 'account', id, name } });
}

interface Registration {
  readonly issuer: string;
  readonly subject: string;
  /** The name given to a new account. */
  readonly name: string | null;
  /** The origin of the request, recorded in the audit log. */
  readonly origin?: RequestOrigin | undefined;
}

interface Registered {
  readonly accountId: string;
  readonly personId: string;
  readonly created: boolean;
}

const unnamed = 'My account';

/**
 * Creates an account with a policy, preferences, and a person for the token's subject. If the subject already
 * has an account, the function returns it, because each subject gets exactly one account.
 */
export async function registerAccount(
  context: AccountsContext,
  { issuer, subject, name: given, origin }: Registration,
): Promise<Registered> {
  const { person, account } = context.database.acrossAccounts;
  const find = () => person.findUnique({ where: { issuer_subject: { issuer, subject } } });
  const found = await find();
  if (found) return { accountId: found.accountId, personId: found.id, created: false };
  const [id, personId, name] = [newId(), newId(), given ?? unnamed];
  const email = await findEmail(context, issuer, subject);
  const who = { actorType: 'person', actorId: personId, actorName: email ?? subject };
  const registered = { ...describeRegistration({ id, name }), ...who, ...renderOrigin(origin) };
  try {
    await account.create({
      data: {
        ...{ id, name, provisionedAs: hashOrigin(issuer, subject) },
        policy: { create: {} },
        routing: { create: {} },
        people: { create: { id: personId, issuer, subject, email } },
        auditEvents: { create: registered },
      },
      select: { id: true },
    });
    context.changes.announceLoginSessionChange({ issuer, subject });
    return { accountId: id, personId, created: true };
  } catch (error) {
    const other = isUniqueConflict(error) ? await find() : null;
    if (other === null) throw error;
    return { accountId: other.accountId, personId: other.id, created: false };
  }
}

/**
 * The email address of a user of the embedded identity service. Null for an external issuer, because this service
 * does not store the users of external issuers.
 */
async function findEmail(
  { database, embeddedIssuer }: Pick<AccountsContext, 'database' | 'embeddedIssuer'>,
  issuer: string,
  subject: string,
): Promise<string | null> {
  if (issuer !== embeddedIssuer) return null;
  const where = { id: subject };
  const user = await database.acrossAccounts.identityUser.findUnique({ where, select: { email: true } });
  return user?.email ?? null;
}

/** Hashes the issuer and the subject as JSON, because an issuer and a subject may contain any character. */
function hashOrigin(issuer: string, subject: string): string {
  return `person:${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`;
}

/**
 * Links a person to an existing account, so that the person can manage the account. Throws `invalid_field` if
 * the person belongs to another account, and `not_found` for an unknown account.
 */
export async function attachPerson(
  context: AccountsContext,
  { issuer, subject, accountId }: { issuer: string; subject: string; accountId: string },
): Promise<{ personId: string }> {
  const { person, account } = context.database.acrossAccounts;
  if ((await account.count({ where: { id: accountId } })) === 0) throw new GatewayError('not_found');
  const email = await findEmail(context, issuer, subject);
  try {
    await context.database.transactionAcrossAccounts(async (tx) => {
      const { id } = await tx.person.create({ data: { id: newId(), accountId, issuer, subject, email } });
      const target = { type: 'person', id, name: email ?? subject } as const;
      await recordAudit(tx, { accountId }, { action: 'account.person_attached', target });
    });
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
  }
  const found = await person.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (found?.accountId !== accountId) {
    throw new GatewayError('invalid_field', {
      param: 'subject',
      message: 'This person belongs to another account.',
    });
  }
  context.changes.announceLoginSessionChange({ issuer, subject });
  return { personId: found.id };
}
