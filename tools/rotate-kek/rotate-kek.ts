import { setTimeout as wait } from 'node:timers/promises';
import { activateKey, retireKeys, rewrapCredentials } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging, ParsedReplyOf } from '@gateway/messaging';

export interface RotationOptions {
  /** The version of the key that the vault uses for encryption, or null for the vault's highest version. */
  readonly version: number | null;
  readonly rowsMax: number;
  readonly report: (line: string) => void;
  /** Maximum time in milliseconds to wait for a vault that is not available. */
  readonly patienceMs: number;
}

export interface RotationOutcome {
  readonly version: number;
  readonly rewrapped: number;
  /** Ids of credentials that cannot be decrypted and stay unchanged. */
  readonly failed: readonly string[];
  readonly retired: readonly number[];
  readonly inUse: readonly number[];
}

type Ask = Pick<Messaging, 'call'>;
type Batch = ParsedReplyOf<typeof rewrapCredentials>;

const pauseMs = 500;

/**
 * Rotates the vault's key-encryption key. The rotation stores no progress, so run an interrupted rotation
 * again to continue. Concurrent rotations do not interfere with each other.
 */
export async function rotateKek(messaging: Ask, options: RotationOptions): Promise<RotationOutcome> {
  const { version, previous } = await patiently(options, () =>
    messaging.call(activateKey, { version: options.version }),
  );
  options.report(
    previous === version
      ? `version ${version} is in use already`
      : `version ${version} is in use from now on`,
  );
  const { rewrapped, failed } = await rewrapAll(messaging, options);
  const { retired, inUse } = await patiently(options, () => messaging.call(retireKeys, {}));
  return { version, rewrapped, failed, retired, inUse };
}

/**
 * Rotates all credential rows repeatedly, because rows may have changed since the last pass. Ends when no
 * rows are left, or when none of the remaining rows can be decrypted.
 */
async function rewrapAll(
  messaging: Ask,
  options: RotationOptions,
): Promise<Pick<RotationOutcome, 'rewrapped' | 'failed'>> {
  let rewrapped = 0;
  for (;;) {
    const failed = new Set<string>();
    let after: Batch['next'] = null;
    let left: number;
    do {
      const batch: Batch = await patiently(options, () =>
        messaging.call(rewrapCredentials, { after, rowsMax: options.rowsMax }),
      );
      rewrapped += batch.rewrapped;
      for (const { id } of batch.failed) failed.add(id);
      ({ next: after, left } = batch);
      if (batch.rewrapped > 0) options.report(`${rewrapped} re-wrapped, ${left} left`);
    } while (after !== null);
    if (left <= failed.size) return { rewrapped, failed: [...failed] };
    await wait(pauseMs);
  }
}

/** Retries a call until the call succeeds. Every call is idempotent. */
async function patiently<Answer>(
  { patienceMs, report }: RotationOptions,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof GatewayError && error.code === 'service_unavailable';
      if (!isAway || performance.now() > until) throw error;
      report('the vault does not answer; trying again');
      await wait(pauseMs);
    }
  }
}
