import { GatewayError } from './gateway-error.ts';

/** The error for a missing required field. `param` is the field's name in the caller's request. */
export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is required.` });
}

/**
 * The error for a field with an invalid value. `rule` completes "must be …". The error text does not contain
 * the value, because the value may be a secret.
 */
export function invalidField(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

/** The error for a field that is not defined. */
export function unknownField(param: string): GatewayError {
  return new GatewayError('unknown_field', { param, message: `The field "${param}" is not known here.` });
}
