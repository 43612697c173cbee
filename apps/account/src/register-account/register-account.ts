import { createHash } from 'node:crypto';
import { isUniqueConflict, newId } from '@gateway/persistence';
import type { AccountContext } from '../domain/account-context.ts';

export interface Registration {
  readonly issuer: string;
  readonly subject: string;
  /** What a new account is called. */
  readonly name: string | null;
}

export interface Registered {
  readonly accountId: string;
  readonly personId: string;
  readonly created: boolean;
}

const unnamed = 'My account';

/** Makes the account of a token's subject, with its policy, preferences and person, or finds it: once for each subject. */
export async function registerAccount(
  context: Pick<AccountContext, 'database' | 'announceSessionChange'>,
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
    context.announceSessionChange({ issuer, subject });
    return { accountId: id, personId, created: true };
  } catch (error) {
    const other = isUniqueConflict(error) ? await find() : null;
    if (other === null) throw error;
    return { accountId: other.accountId, personId: other.id, created: false };
  }
}

/** Hashed, since both parts may hold any character. */
function renderOrigin(issuer: string, subject: string): string {
  return `person:${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`;
}
