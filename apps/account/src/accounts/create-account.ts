import { isUniqueConflict, newId } from '@gateway/persistence';
import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountsContext } from './manage-account.ts';

/**
 * Creates an account with the default policy and preferences, or returns the account that an operator created by that
 * name.
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
    const { id } = await accounts.create({
      data: { id: newId(), ...request, provisionedAs, policy: { create: {} }, routing: { create: {} } },
      select: { id: true },
    });
    return { accountId: id, created: true };
  } catch (error) {
    const other = isUniqueConflict(error) ? await find() : null;
    if (other === null) throw error;
    return { accountId: other.id, created: false };
  }
}

interface Registration {
  readonly issuer: string;
  readonly subject: string;
  /** The name of a new account. */
  readonly name: string | null;
}

interface Registered {
  readonly accountId: string;
  readonly personId: string;
  readonly created: boolean;
}

const unnamed = 'My account';

/**
 * Creates the account of a token's subject, with policy, preferences and person, or returns the existing one. Each
 * subject gets one account.
 */
export async function registerAccount(
  context: AccountsContext,
  { issuer, subject, name }: Registration,
): Promise<Registered> {
  const { person, account } = context.database.acrossAccounts;
  const find = () => person.findUnique({ where: { issuer_subject: { issuer, subject } } });
  const found = await find();
  if (found) return { accountId: found.accountId, personId: found.id, created: false };
  const personId = newId();
  try {
    const { id } = await account.create({
      data: {
        id: newId(),
        name: name ?? unnamed,
        provisionedAs: renderOrigin(issuer, subject),
        policy: { create: {} },
        routing: { create: {} },
        people: { create: { id: personId, issuer, subject } },
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

/** The hash allows any character in both parts. */
function renderOrigin(issuer: string, subject: string): string {
  return `person:${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`;
}

/**
 * Lets a person act for an existing account. Throws `invalid_field` if the person belongs to another account, and
 * `not_found` for an unknown account.
 */
export async function attachPerson(
  context: AccountsContext,
  { issuer, subject, accountId }: { issuer: string; subject: string; accountId: string },
): Promise<{ personId: string }> {
  const { person, account } = context.database.acrossAccounts;
  if ((await account.count({ where: { id: accountId } })) === 0) throw new GatewayError('not_found');
  try {
    await person.create({ data: { id: newId(), accountId, issuer, subject } });
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
