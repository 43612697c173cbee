export { GatewayError, toGatewayError, type GatewayErrorOptions } from './gateway-error.ts';
export { errorRegistry, type ErrorCode, type ErrorDefinition, type ErrorType } from './registry.ts';
