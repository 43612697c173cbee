import { GatewayError } from '@gateway/errors';

/** A required field is not there. `param` is in the caller's spelling. */
export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is required.` });
}

/** A field is there and cannot be used. `rule` completes "must be …". */
export function invalidField(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

/** The body is JSON, but not an object. */
export function invalidBody(): GatewayError {
  return new GatewayError('invalid_field', { message: 'The body must be a JSON object.' });
}

/** A field that is not taken in this format. */
export function unknownField(param: string): GatewayError {
  return new GatewayError('unknown_field', { param, message: `The field "${param}" is not known here.` });
}
