import type { RoutingPolicy } from '@gateway/contracts';

/** Looks up the measured recall for accounts. */
export interface RoutingPolicies {
  /**
   * @param version the version that a conversation is pinned to; null for the newest.
   * @returns null if nothing has been measured or the lookup takes too long. Never fails.
   */
  find(accountId: string, version: string | null): Promise<RoutingPolicy | null> | RoutingPolicy | null;
}

/** Used by a router without measurements. */
export const noPolicies: RoutingPolicies = { find: () => null };
