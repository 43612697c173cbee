import type { RoutingPolicy } from '@gateway/contracts';

/** What accounts have measured of their recall. */
export interface RoutingPolicies {
  /**
   * @param version the one that a session is pinned to; null for the newest.
   * @returns null where nothing is measured, or nobody could say so in time. Never fails.
   */
  find(accountId: string, version: string | null): Promise<RoutingPolicy | null> | RoutingPolicy | null;
}

/** Nothing is measured. */
export const noPolicies: RoutingPolicies = { find: () => null };
