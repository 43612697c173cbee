import type { VaultContext } from '../domain/vault-context.ts';

/**
 * Drops the versions of the key-encryption key that no credential needs any more, and answers them and those in use: the
 * keys of the former can be taken out of the configuration.
 */
export async function retireKeys({
  keyVersions,
}: Pick<VaultContext, 'keyVersions'>): Promise<{ retired: number[]; inUse: number[] }> {
  const retired = await keyVersions.retire();
  const inUse = (await keyVersions.list()).map(({ version }) => version);
  return { retired, inUse };
}
