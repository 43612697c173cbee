import type { ReplayControls } from './controls.ts';

/** Provider errors that were not recorded. The bodies of the errors follow the providers' documentation. */
const openAiErrors = {
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached for requests.' },
  500: {
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request.',
  },
  503: {
    type: 'server_error',
    code: null,
    message: 'The engine is currently overloaded, please try again later.',
  },
} as const;

const anthropicErrors = {
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
  500: { type: 'api_error', message: 'Internal server error' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
} as const;

const json = { 'content-type': 'application/json' };

/** See https://platform.openai.com/docs/guides/error-codes */
export function openAiError(status: keyof typeof openAiErrors, retryAfterMs?: number): ReplayControls {
  const body = { error: { ...openAiErrors[status], param: null } };
  return { status, body, headers: json, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** See https://docs.anthropic.com/en/api/errors */
export function anthropicError(status: keyof typeof anthropicErrors, retryAfterMs?: number): ReplayControls {
  const body = { type: 'error', error: anthropicErrors[status] };
  return { status, body, headers: json, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
