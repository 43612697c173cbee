import { GatewayError } from '@gateway/errors';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { KeyVersions } from './key-versions.ts';
import type { SealingKeys } from './sealing-keys.ts';

export interface KeysContext {
  readonly keyRing: KeyRing;
  readonly keyVersions: KeyVersions;
  readonly sealingKeys: SealingKeys;
}

/** The public key with which gateways encrypt credentials. All replicas return the same public key. */
export async function getSealingKey({
  keyVersions,
  sealingKeys,
}: Pick<KeysContext, 'keyVersions' | 'sealingKeys'>): Promise<{ publicKey: string }> {
  const [current] = await keyVersions.list();
  if (current === undefined)
    throw new GatewayError('service_unavailable', { detail: 'no key version is active' });
  const { publicKey } = await sealingKeys.open(current);
  return { publicKey };
}

interface Activation {
  /** The key version with which all new data is encrypted. */
  readonly version: number;
  /** The key version that encrypted data before the change. Null for a vault without keys. */
  readonly previous: number | null;
}

/**
 * Activates the requested version of the key-encryption key, or this replica's highest version. Activating a
 * version twice has no further effect. Throws `invalid_field` for a version that is lower than the current
 * version or missing on this replica. Also throws `invalid_field` if a running replica lacks the version,
 * because that replica could not decrypt new data.
 */
export async function activateKey(
  context: KeysContext,
  request: { version: number | null },
): Promise<Activation> {
  const { keyRing, keyVersions, sealingKeys } = context;
  const version = request.version ?? keyRing.highestVersion;
  const previous = (await keyVersions.list())[0]?.version ?? null;
  if (version === previous) return { version, previous };
  if (previous !== null && version < previous)
    throw refuse(`Version ${previous} is active; ${version} is older.`);
  const fingerprint = keyRing.fingerprints[version];
  if (fingerprint === undefined) throw refuse(`This replica has no key of version ${version}.`);
  const wrappedSeed = await sealingKeys.createSeed(version);
  const next = { version, fingerprint, wrappedSeed };
  if (!(await keyVersions.activate(next))) throw await explainRefusal(context, next);
  return { version, previous };
}

async function explainRefusal(
  { keyVersions }: KeysContext,
  { version, fingerprint }: { version: number; fingerprint: string },
): Promise<GatewayError> {
  const lacking = await keyVersions.listLacking(version, fingerprint);
  if (lacking.length === 0) return refuse(`Version ${version} or a higher one is already active.`);
  const names = lacking.map(({ instanceId }) => instanceId).join(', ');
  return refuse(`Some running replicas do not have this key of version ${version}: ${names}.`);
}

function refuse(message: string): GatewayError {
  return new GatewayError('invalid_field', { param: 'version', message });
}

/**
 * Removes key versions that no credential uses any more. Returns the removed key versions and the remaining key
 * versions. Operators can then delete the keys of these versions from the configuration.
 */
export async function retireKeys({
  keyVersions,
}: Pick<KeysContext, 'keyVersions'>): Promise<{ retired: number[]; inUse: number[] }> {
  const retired = await keyVersions.retire();
  const inUse = (await keyVersions.list()).map(({ version }) => version);
  return { retired, inUse };
}
