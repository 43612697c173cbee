export { explainIssue, renderPath } from './explain-issue.ts';
export {
  GatewayError,
  toGatewayError,
  type GatewayErrorOptions,
  invalidField,
  missingField,
  unknownField,
} from './gateway-error.ts';
export type { ErrorDefinition, ErrorType } from './error-definition.ts';
export { errorRegistry, type ErrorCode } from './registry.ts';
