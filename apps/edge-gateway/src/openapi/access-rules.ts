import type { ErrorCode } from '@gateway/errors';
import { scopeOf } from './operation-scopes.ts';
import type { Access, Operation } from './operation.ts';
import type { RouteRow } from './route-table.ts';

const keyErrors = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'insufficient_scope'] as const;
const sessionErrors = ['invalid_session_token', 'expired_session_token'] as const;

const accessErrors: Readonly<Record<Access, readonly ErrorCode[]>> = {
  'api-key': [...keyErrors, 'api_key_required'],
  pipeline: [...keyErrors, 'api_key_required'],
  session: ['missing_session_token', ...sessionErrors, 'session_required'],
  'api-key-or-session': [...keyErrors, ...sessionErrors, 'account_not_registered'],
  public: [],
};

const bodyErrors: readonly ErrorCode[] = [
  'malformed_json',
  'invalid_field',
  'missing_field',
  'too_deep',
  'request_too_large',
  'unsupported_media_type',
];

/**
 * Lists all errors that a route may return. Includes the errors of the access rule and the errors that the route
 * declares.
 */
export function listErrors({ access, operation }: RouteRow): readonly ErrorCode[] {
  const isForwarded = access === 'pipeline';
  const codes: ErrorCode[] = [
    ...(access ? accessErrors[access] : []),
    ...(operation?.body ? bodyErrors : []),
    ...(operation?.body && !isForwarded ? (['unknown_field'] as const) : []),
    ...(operation?.query ? (['invalid_field', 'unknown_field'] as const) : []),
    ...(operation?.params && !isForwarded ? (['not_found'] as const) : []),
    ...(operation?.errors ?? []),
    ...(access !== undefined && isLimited(access) ? (['rate_limit_exceeded'] as const) : []),
    'internal_error',
    ...(access === 'public' ? [] : (['service_unavailable'] as const)),
  ];
  return [...new Set(codes)];
}

/**
 * Returns a sentence that names the scope that an API key needs. Returns an empty text for operations that accept
 * no API key.
 */
export function describeScope({ id }: Operation, access: Access): string {
  const scope = scopeOf(id);
  if (scope === undefined) return '';
  const condition = access === 'api-key-or-session' ? 'When called with an API key, requires' : 'Requires';
  return `${condition} the scope \`${scope}\`.`;
}

/** Whether every call to the route counts against a rate limit of the caller's API key or account. */
export function isLimited(access: Access): boolean {
  return access !== 'public';
}

/** The rate limit headers in every response to an authenticated call. */
export const rateLimitHeaders = {
  'x-ratelimit-limit-requests': 'Calls per minute that the limit with the least room allows.',
  'x-ratelimit-remaining-requests': 'Remaining calls of this minute.',
  'x-ratelimit-reset-requests': 'Time until the full limit is available again, as a duration (`1.2s`).',
} as const;

/** The types of credentials that callers may use. */
export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the gateway, `sk-svc-…`.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key in the header that older clients of the messages format use.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session token of a logged-in user.',
  },
} as const;

type Requirement = Record<string, string[]>;

/**
 * Renders the security requirements of a route for OpenAPI. A caller must meet one requirement in the list. An
 * empty list allows every caller. The requirement for an API key lists the scope that the key needs. OpenAPI 3.1
 * allows a list of scopes in every security requirement.
 */
export function renderSecurity(access: Access, { id, takesKeyHeader }: Operation): Requirement[] {
  const scope = scopeOf(id);
  const roles = scope === undefined ? [] : [scope];
  const acceptsKeys = access !== 'session' && access !== 'public';
  const acceptsSessions = access === 'session' || access === 'api-key-or-session';
  return [
    ...(acceptsKeys ? [{ apiKey: roles }] : []),
    ...(acceptsSessions ? [{ session: [] }] : []),
    ...(takesKeyHeader ? [{ apiKeyHeader: roles }] : []),
  ];
}
