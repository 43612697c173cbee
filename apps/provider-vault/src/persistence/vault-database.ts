import { createDatabase, type Database, type DatabaseOptions, type Models } from '@gateway/persistence';
import { PrismaClient } from '../../../../prisma/vault/generated/client.ts';

export type { Prisma } from '../../../../prisma/vault/generated/client.ts';
export type { Credential as CredentialRow } from '../../../../prisma/vault/generated/client.ts';

export type VaultDatabase = Database<PrismaClient>;
export const VAULT_DATABASE = Symbol('VaultDatabase');
export type VaultModels = Models<PrismaClient>;

/** Opens the vault's database. */
export function createVaultDatabase(
  options: Pick<DatabaseOptions<PrismaClient>, 'url' | 'connectionsMax' | 'onConnectionError'>,
): VaultDatabase {
  return createDatabase({
    ...options,
    applicationName: 'provider-vault',
    // Longer error formats quote source code and arguments, which must not appear in logs.
    createClient: (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }),
  });
}
