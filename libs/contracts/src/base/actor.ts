import { z } from 'zod';
import { id } from './common.ts';

/**
 * Maximum length of a User-Agent header, in characters. Longer User-Agent headers are truncated. Browsers
 * send User-Agent headers of about 120 characters.
 */
export const userAgentLengthMax = 256;

/** The origin of a request. The account service writes the origin to the audit log. */
export const requestOrigin = z.object({
  /** The client's IP address. Behind a trusted proxy, the gateway uses the address that the proxy reports. */
  address: z.string().min(1).max(64).nullable(),
  /**
   * The User-Agent header, truncated to 256 characters. Null if the client sent no User-Agent header.
   */
  userAgent: z.string().max(userAgentLengthMax).nullable(),
  /** The value of the response header `X-Request-ID`. */
  requestId: id.nullable(),
});
export type RequestOrigin = z.infer<typeof requestOrigin>;

/**
 * The caller that makes a change, which is an API key or a user. Exactly one of the two ids is set. Gateways
 * verify the caller's credential. The account service looks up the caller's name.
 */
export const actor = requestOrigin.extend({
  /** The id of the API key in the request. */
  keyId: id.nullable(),
  /** The user of the request's login session. */
  personId: id.nullable(),
});
export type Actor = z.infer<typeof actor>;

/**
 * The field `actor` of calls that change data. Operator commands and gateways from the previous release omit
 * `actor`. If `actor` is absent, the audit log names the operator.
 */
export const byActor = { actor: actor.optional() };

/** The field `origin` of calls about login sessions. Gateways from the previous release omit `origin`. */
export const fromOrigin = { origin: requestOrigin.optional() };
