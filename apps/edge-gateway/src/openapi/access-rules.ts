import type { ErrorCode } from '@gateway/errors';
import type { Access, Operation } from './operation.ts';
import type { RouteRow } from './route-table.ts';

const keyErrors = ['missing_api_key', 'invalid_api_key', 'expired_api_key'] as const;
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

/** Every error that a route may answer with: those that follow from what it is, and its own. */
export function listErrors({ access, operation }: RouteRow): readonly ErrorCode[] {
  const isForwarded = access === 'pipeline';
  const codes: ErrorCode[] = [
    ...(access ? accessErrors[access] : []),
    ...(operation?.body ? bodyErrors : []),
    ...(operation?.body && !isForwarded ? (['unknown_field'] as const) : []),
    ...(operation?.query ? (['invalid_field', 'unknown_field'] as const) : []),
    ...(operation?.params && !isForwarded ? (['not_found'] as const) : []),
    ...(operation?.errors ?? []),
    'internal_error',
    ...(access === 'public' ? [] : (['service_unavailable'] as const)),
  ];
  return [...new Set(codes)];
}

/** How callers say who they are. */
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
    description: 'The same key, where older clients of the messages format send it.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session token of a person who has logged in.',
  },
} as const;

type Requirement = Record<string, string[]>;

const requirements: Readonly<Record<Access, readonly Requirement[]>> = {
  'api-key': [{ apiKey: [] }],
  pipeline: [{ apiKey: [] }],
  session: [{ session: [] }],
  'api-key-or-session': [{ apiKey: [] }, { session: [] }],
  public: [],
};

/** Any one of the requirements is enough; none at all means that anybody may call. */
export function renderSecurity(access: Access, { takesKeyHeader }: Operation): Requirement[] {
  return [...requirements[access], ...(takesKeyHeader ? [{ apiKeyHeader: [] }] : [])];
}
