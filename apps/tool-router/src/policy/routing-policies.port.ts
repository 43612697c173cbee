import type { RoutingPolicy } from '@gateway/contracts';

/** Looks up the measured recall of accounts. */
export interface RoutingPolicies {
  /**
   * @param version the policy version of an earlier request in the conversation, or null for the newest
   * version.
   * @returns null if the account has no measurements or the lookup takes too long. The lookup never throws an
   * error.
   */
  find(accountId: string, version: string | null): Promise<RoutingPolicy | null> | RoutingPolicy | null;
}

/** The routing policies of a router that has no measurements. */
export const noPolicies: RoutingPolicies = { find: () => null };
