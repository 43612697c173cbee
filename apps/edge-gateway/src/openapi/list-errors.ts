import type { ErrorCode } from '@gateway/errors';
import type { RouteRow } from '../http/route-table.ts';

const accessErrors: Readonly<Record<string, readonly ErrorCode[]>> = {
  'api-key': ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'api_key_required'],
  pipeline: ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'api_key_required'],
  session: ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'session_required'],
  'api-key-or-session': ['missing_api_key', 'invalid_api_key', 'expired_api_key'],
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
    ...(accessErrors[access ?? ''] ?? []),
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
