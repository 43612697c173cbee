export { GatewayError, toGatewayError, type GatewayErrorOptions } from './gateway-error.ts';
export { invalidField, missingField, unknownField } from './field-errors.ts';
export type { ErrorDefinition, ErrorType } from './error-definition.ts';
export { errorRegistry, type ErrorCode } from './registry.ts';
