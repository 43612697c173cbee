import type { RoutingPolicy } from '@gateway/contracts';

/** The measured recall of accounts. */
export interface RoutingPolicies {
  /**
   * @param version the version that a conversation is pinned to; null for the newest.
   * @returns null if nothing is measured or the lookup is too slow. Never fails.
   */
  find(accountId: string, version: string | null): Promise<RoutingPolicy | null> | RoutingPolicy | null;
}

/** Policies of a router without measurements. */
export const noPolicies: RoutingPolicies = { find: () => null };
