/** An error sent to the client in the format of the OpenAI API. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;

  constructor(status: number, message: string, options: { code?: string; param?: string } = {}) {
    super(message);
    this.status = status;
    this.code = options.code ?? null;
    this.param = options.param ?? null;
  }
}

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: 'invalid_request_error' | 'server_error';
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Renders the HTTP status and the body for any error. Internal errors reveal no details to the client. */
export function renderError(thrown: unknown): { status: number; body: ErrorBody } {
  if (thrown instanceof ProviderError) {
    const { status, message, param, code } = thrown;
    return { status, body: { error: { message, type: 'invalid_request_error', param, code } } };
  }
  const status = statusOf(thrown);
  if (status < 500 && thrown instanceof Error) {
    const error = {
      message: thrown.message,
      type: 'invalid_request_error',
      param: null,
      code: null,
    } as const;
    return { status, body: { error } };
  }
  const message = 'The sandbox failed to process the request.';
  return { status: 500, body: { error: { message, type: 'server_error', param: null, code: null } } };
}

function statusOf(thrown: unknown): number {
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
