import type { CalibrationBucket } from '../../api/routing.ts';
import { formatNumberOf, formatShare } from '../../lib/format.ts';

/** `act:101-250` in words. */
export function describeBucket(bucket: string): string {
  const [intent = '', band = ''] = bucket.split(':');
  return `${intent === '*' ? 'all intents' : intent}, ${band} tools`;
}

/** What the policy does in a bucket, and why: exactly what the router applies. */
export function describeDecision(bucket: CalibrationBucket): string {
  const { basis, reason, samples, samples_needed, bucket: name, decided_by } = bucket;
  const seen = `${formatNumberOf(samples, 'shadow conversation')} measured.`;
  const from = decided_by === name ? '' : ` Decided by the measurements of ${describeBucket(decided_by)}.`;
  const more = formatNumberOf(samples_needed, 'more conversation');
  switch (basis) {
    case 'calibrated':
      return `${seen} The ${renderK(bucket)} best tools are forwarded: the smallest number whose lower bound meets the target.${describeRecall(bucket)}${from}`;
    case 'prior':
      return `${seen} The shipped defaults (priors) choose the number of tools until there are at least ${more}.${from}`;
    case 'off': {
      const why = reason === 'recall_fell' ? 'Recall fell' : 'Recall was below the target';
      return `${seen} ${why}, so all tools are forwarded until at least ${more} show a number that meets it.${from}`;
    }
  }
}

/** K as shown: the number of tools, or what applies instead. */
export function renderK({ basis, k }: Pick<CalibrationBucket, 'basis' | 'k'>): string {
  if (basis === 'off') return 'all';
  return k === null ? 'default' : String(k);
}

function describeRecall({ forwarded_recall, effective_recall, recovery_rate }: CalibrationBucket): string {
  if (forwarded_recall === null || effective_recall === null) return '';
  const rate = `${formatShare(recovery_rate.used)} (${recovery_rate.source})`;
  return ` Forwarded recall is at least ${formatShare(forwarded_recall.low)}, and ${formatShare(effective_recall.low)} with a recovery rate of ${rate}.`;
}
