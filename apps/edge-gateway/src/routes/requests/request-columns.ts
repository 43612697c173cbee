/** The columns of an export of the request log, in order. A nested field is named by its path. */
export const requestColumns = [
  ...[
    'id',
    'created_at',
    'session_id',
    'key_id',
    'client_request_id',
    'endpoint',
    'format',
    'provider',
    'model',
  ],
  ...['requested_model', 'stream', 'status', 'http_status', 'error_code', 'intent', 'tools_in', 'tools_out'],
  ...['routing', 'k', 'k_reason', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens'],
  ...[
    'usage_estimated',
    'estimated_tokens_saved',
    'compression_tokens_saved',
    'cost_usd',
    'provider_savings_usd',
    'gross_savings_usd',
  ],
  ...['ms.total', 'ms.first_byte', 'ms.overhead', 'ms.auth', 'ms.plan', 'ms.upstream', 'trace_id'],
] as const;
