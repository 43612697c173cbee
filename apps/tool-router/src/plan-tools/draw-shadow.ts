import type { PlanToolsRequest, RoutingPolicy } from '@gateway/contracts';
import type { SessionSet } from './session-set.ts';

/** Sessions of a bucket from which on the account's own share is enough. */
const samplesWanted = 100;
/** Until then so many times the share are drawn: 20% where it is 5%. */
const beginningFactor = 4;

/**
 * Whether a session goes out whole while its plan is made. Decided by its first turn alone, and the same with every later
 * one: the memo holds it, and without the memo the same draw falls. Where nothing could be left out, or an override says
 * what goes out, there is nothing to measure.
 */
export function drawShadow(
  { session, shadow }: Pick<PlanToolsRequest, 'session' | 'shadow'>,
  reason: SessionSet['reason'],
  measured: RoutingPolicy | null,
  bucket: string,
): boolean {
  if (session !== undefined) return session.isShadow;
  if (shadow === undefined || reason === 'short_list' || reason === 'override') return false;
  const samples = measured?.buckets.find((each) => each.bucket === bucket)?.samples ?? 0;
  const share = samples < samplesWanted ? Math.min(1, shadow.share * beginningFactor) : shadow.share;
  return shadow.at < share;
}
