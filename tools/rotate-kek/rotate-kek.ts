import { setTimeout as wait } from 'node:timers/promises';
import { activateKey, retireKeys, rewrapCredentials } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging, ParsedReplyOf } from '@gateway/messaging';

export interface RotationOptions {
  /** The version to write with; null is the highest that the vault holds. */
  readonly version: number | null;
  readonly rowsMax: number;
  readonly report: (line: string) => void;
  /** How long the vault may be away before this gives up. */
  readonly patienceMs: number;
}

export interface RotationOutcome {
  readonly version: number;
  readonly rewrapped: number;
  /** Ids of credentials that do not open, and so were left as they are. */
  readonly failed: readonly string[];
  readonly retired: readonly number[];
  readonly inUse: readonly number[];
}

type Ask = Pick<Messaging, 'call'>;
type Batch = ParsedReplyOf<typeof rewrapCredentials>;

const pauseMs = 500;

/**
 * Rotates the vault's key-encryption key. It holds no state of its own: where it was ended, by whatever, it goes on when it
 * is run again, and two of it at once do no harm.
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

/** A pass over all rows, and another one for those that changed during it, until none or only the broken are left. */
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

/** Asks until there is an answer: each question may be asked again. */
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
