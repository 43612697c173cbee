import { z } from 'zod';
import { id } from './common.ts';

/** Longer User-Agent headers are cut. Browsers send about 120 characters. */
export const userAgentLengthMax = 256;

/** Where a request came from. The account service writes it to the audit log. */
export const requestOrigin = z.object({
  /** The client's IP address. Behind a trusted proxy, it is the address that the proxy reports. */
  address: z.string().min(1).max(64).nullable(),
  /** The User-Agent header, cut at 256 characters. Null if the client sent none. */
  userAgent: z.string().max(userAgentLengthMax).nullable(),
  /** The `X-Request-ID` of the response. */
  requestId: id.nullable(),
});
export type RequestOrigin = z.infer<typeof requestOrigin>;

/**
 * The caller of a change, and its origin. One of the two ids is set. Gateways verify the credential; the account
 * service looks up the name.
 */
export const actor = requestOrigin.extend({
  /** The API key that the request carries. */
  keyId: id.nullable(),
  /** The user of the request's login session. */
  personId: id.nullable(),
});
export type Actor = z.infer<typeof actor>;

/**
 * Additional field of calls that change something. Commands of the operator and gateways of the previous
 * release omit it; the audit log then names the operator.
 */
export const byActor = { actor: actor.optional() };

/** Additional field of calls about login sessions. Gateways of the previous release omit it. */
export const fromOrigin = { origin: requestOrigin.optional() };
