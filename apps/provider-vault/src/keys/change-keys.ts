import { GatewayError } from '@gateway/errors';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { KeyVersions } from './key-versions.ts';
import type { SealingKeys } from './sealing-keys.ts';

export interface KeysContext {
  readonly keyRing: KeyRing;
  readonly keyVersions: KeyVersions;
  readonly sealingKeys: SealingKeys;
}

/** To which credentials on their way in are sealed. The same from every replica. */
export async function getSealingKey({
  keyVersions,
  sealingKeys,
}: Pick<KeysContext, 'keyVersions' | 'sealingKeys'>): Promise<{ publicKey: string }> {
  const [current] = await keyVersions.list();
  if (current === undefined) throw new GatewayError('service_unavailable', { detail: 'no key is in use' });
  const { publicKey } = await sealingKeys.open(current);
  return { publicKey };
}

interface Activation {
  /** What is written with now. */
  readonly version: number;
  /** What was written with before; null in a vault that had no key. */
  readonly previous: number | null;
}

/**
 * Writes with another version of the key-encryption key from now on: the one that was asked for, or the highest that this
 * replica holds. Doing it again changes nothing. Throws `invalid_field` for a version that is lower than the present one,
 * that is not held here, or that a running replica does not hold: it could not read what would be written.
 */
export async function activateKey(
  context: KeysContext,
  { version: asked }: { version: number | null },
): Promise<Activation> {
  const { keyRing, keyVersions, sealingKeys } = context;
  const version = asked ?? keyRing.highestVersion;
  const previous = (await keyVersions.list())[0]?.version ?? null;
  if (version === previous) return { version, previous };
  if (previous !== null && version < previous)
    throw refuse(`Version ${previous} is in use; ${version} is older.`);
  const fingerprint = keyRing.fingerprints[version];
  if (fingerprint === undefined) throw refuse(`This replica holds no key of version ${version}.`);
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
  if (lacking.length === 0) return refuse(`A version as high as ${version} is in use already.`);
  const names = lacking.map(({ instanceId }) => instanceId).join(', ');
  return refuse(`Running replicas do not hold this key of version ${version}: ${names}.`);
}

function refuse(message: string): GatewayError {
  return new GatewayError('invalid_field', { param: 'version', message });
}

/**
 * Drops the versions of the key-encryption key that no credential needs any more, and answers them and those in use: the
 * keys of the former can be taken out of the configuration.
 */
export async function retireKeys({
  keyVersions,
}: Pick<KeysContext, 'keyVersions'>): Promise<{ retired: number[]; inUse: number[] }> {
  const retired = await keyVersions.retire();
  const inUse = (await keyVersions.list()).map(({ version }) => version);
  return { retired, inUse };
}
