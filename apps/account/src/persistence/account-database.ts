import { createDatabase, type Database, type DatabaseOptions, type Models } from '@gateway/persistence';
import { PrismaClient } from '../../../../prisma/account/generated/client.ts';

export { Prisma } from '../../../../prisma/account/generated/client.ts';
export type {
  Account as AccountRow,
  AccountPolicy,
  ApiKey as ApiKeyRow,
  DeclaredModel as DeclaredModelRow,
  RoutingPreferences as RoutingPreferencesRow,
  SigningKey as SigningKeyRow,
} from '../../../../prisma/account/generated/client.ts';

export type AccountDatabase = Database<PrismaClient>;
export const ACCOUNT_DATABASE = Symbol('AccountDatabase');
/**
 * The account database, accessed through the connections that are reserved for key checks and login sessions.
 */
export const AUTHENTICATION_DATABASE = Symbol('AuthenticationDatabase');
export type AccountModels = Models<PrismaClient>;

/** Opens the account service's database. */
export function createAccountDatabase(
  options: Omit<DatabaseOptions<PrismaClient>, 'applicationName' | 'createClient' | 'accountFields'>,
): AccountDatabase {
  return createDatabase({
    ...options,
    applicationName: 'account',
    // Longer error formats quote source code and arguments, which must not appear in logs.
    createClient: (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }),
    accountFields: { Account: 'id' },
  });
}
