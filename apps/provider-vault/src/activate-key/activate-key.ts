import { GatewayError } from '@gateway/errors';
import type { VaultContext } from '../domain/vault-context.ts';

export interface Activation {
  /** What is written with now. */
  readonly version: number;
  /** What was written with before; null in a vault that had no key. */
  readonly previous: number | null;
}

type ActivationContext = Pick<VaultContext, 'keyRing' | 'keyVersions' | 'sealingKeys'>;

/**
 * Writes with another version of the key-encryption key from now on: the one that was asked for, or the highest that this
 * replica holds. Doing it again changes nothing. Throws `invalid_field` for a version that is lower than the present one,
 * that is not held here, or that a running replica does not hold: it could not read what would be written.
 */
export async function activateKey(
  context: ActivationContext,
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
  { keyVersions }: ActivationContext,
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
