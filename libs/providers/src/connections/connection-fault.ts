import { GatewayError } from '@gateway/errors';
import type { ConnectionField } from './connection-fields.ts';

/** `rule` completes "must be …". No text of an error holds a value: it may be a secret. */
export function refuseField(
  param: ConnectionField | 'service_account.private_key',
  rule: string,
): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

export function missField(param: ConnectionField, provider: string): GatewayError {
  return new GatewayError('missing_field', {
    param,
    message: `The field "${param}" is required to connect ${provider}.`,
  });
}
