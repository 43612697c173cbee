/** An error response from the gateway, or a failed connection. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status of the response. The status is 0 if the gateway could not be reached. */
  readonly status: number;
  readonly code: string;
  /** The name of the invalid field. Undefined if no field is invalid. */
  readonly param: string | null;
  readonly requestId: string | null;
  /** The path of the documentation page about the error code. Null if the error code has no page. */
  readonly docsPath: string | null;

  constructor(fields: {
    status: number;
    code: string;
    message: string;
    param?: string | null;
    requestId?: string | null;
    docsPath?: string | null;
  }) {
    super(fields.message);
    this.status = fields.status;
    this.code = fields.code;
    this.param = fields.param ?? null;
    this.requestId = fields.requestId ?? null;
    this.docsPath = fields.docsPath ?? null;
  }
}

const unreachable = new ApiError({
  status: 0,
  code: 'unreachable',
  message: 'Cannot reach the gateway. Check your connection. The page retries when the connection is back.',
});

/** Parses an error body in any of the gateway's formats. Never throws. */
export function parseApiError(status: number, body: unknown, requestId: string | null): ApiError {
  const error = field(body, 'error');
  const message = text(field(error, 'message')) ?? text(field(body, 'message'));
  return new ApiError({
    status,
    code: text(field(error, 'code')) ?? text(field(error, 'type')) ?? 'unknown',
    message: message ?? `The gateway returned status ${status} without a reason.`,
    param: text(field(error, 'param')) ?? null,
    requestId: text(field(body, 'request_id')) ?? requestId,
    docsPath: docsPathOf(text(field(error, 'docs_url'))),
  });
}

/** The path of an error code's page. External addresses are dropped, so that the link stays on the gateway. */
function docsPathOf(docsUrl: string | undefined): string | null {
  return docsUrl?.startsWith('/docs/') === true ? docsUrl : null;
}

/** Converts any error to an ApiError. A TypeError means that `fetch` received no response. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TypeError) return unreachable;
  const message = error instanceof Error ? error.message : 'Something went wrong.';
  return new ApiError({ status: 0, code: 'unexpected', message });
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
