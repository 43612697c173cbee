import type { ErrorDefinition } from './error-definition.ts';
import type { ErrorCode } from './registry.ts';
import { errorRegistry } from './registry.ts';

export interface GatewayErrorOptions {
  /** Public text of the error, if the text is more specific than the default in the registry. */
  readonly message?: string;
  /** The invalid request field, as the caller spelled it (`messages[2].tool_calls[0].id`). */
  readonly param?: string;
  /** Recommended delay before a retry, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Details for the logs. The details are never sent to the caller. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** An error that is safe to show to a caller. The error's code is in the registry. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, options: GatewayErrorOptions = {}) {
    super(options.message ?? errorRegistry[code].message, { cause: options.cause });
    this.code = code;
    this.param = options.param;
    this.retryAfterMs = options.retryAfterMs;
    this.detail = options.detail;
  }

  get definition(): ErrorDefinition {
    return errorRegistry[this.code];
  }
}

/**
 * Converts any thrown value into an error that is safe to show. All thrown values except a `GatewayError`
 * become `internal_error`.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new GatewayError('internal_error', { detail, cause: thrown });
}

/** The error for a missing required field. `param` is the field's name in the caller's request. */
export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is required.` });
}

/**
 * The error for a field with an invalid value. The value of `rule` completes the sentence "must be …". The
 * error text does not contain the value, because the value may be a secret.
 */
export function invalidField(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

/** The error for a field that the API does not define. */
export function unknownField(param: string): GatewayError {
  const message = `The field "${param}" is unknown. Remove it or check its spelling.`;
  return new GatewayError('unknown_field', { param, message });
}
