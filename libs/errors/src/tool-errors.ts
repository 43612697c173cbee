import type { ErrorDefinition } from './error-definition.ts';

/** Errors about the tools and the tool calls of a request. These errors are part of the registry. */
export const toolErrors = {
  unbalanced_tool_calls: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Tool calls and tool results do not match. Send exactly one result for each call.',
    retryable: false,
  },
  tool_not_allowed: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'tool_choice forces a tool that this API key may not use. Choose another tool, or change the tool lists of the key.',
    retryable: false,
  },
  ambiguous_tools: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'This API key has tool lists, and servers may read the tools of the request in different ways. Send each tool once, with one name, in the documented fields.',
    retryable: false,
  },
  too_many_tools: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request has more than 4096 tools. Send fewer.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorDefinition>;
