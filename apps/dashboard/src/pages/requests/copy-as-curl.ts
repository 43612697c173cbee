/** The fields of a logged request from which its curl command is built. */
export interface CurledRequest {
  readonly endpoint: string;
  readonly format: string;
  readonly model: string | null;
  readonly requested_model: string | null;
  readonly stream: boolean;
  readonly session_id: string | null;
}

/**
 * Renders a logged request as a curl command. The request log does not contain request contents, so the
 * message is a placeholder. A shell variable supplies the API key.
 */
export function renderCurl(request: CurledRequest, origin: string): string {
  const model = request.requested_model ?? request.model ?? 'svc/auto';
  const path = request.endpoint.replace('{id}', encodeURIComponent(model));
  const headers = [
    `-H "Authorization: Bearer $SVC_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    ...(request.session_id === null ? [] : [`-H ${quote(`X-Svc-Session-Id: ${request.session_id}`)}`]),
  ];
  return [
    `curl ${request.stream ? '-N ' : ''}${quote(origin + path)}`,
    ...headers,
    `-d ${quote(JSON.stringify(renderBody(request, model)))}`,
  ].join(' \\\n  ');
}

function renderBody({ format, stream }: CurledRequest, model: string): object {
  const text = 'Your message';
  switch (format) {
    case 'converse':
      return { messages: [{ role: 'user', content: [{ text }] }] };
    case 'messages':
      return {
        model,
        max_tokens: 1_024,
        messages: [{ role: 'user', content: text }],
        ...(stream ? { stream } : {}),
      };
    case 'chat-completions':
      return { model, messages: [{ role: 'user', content: text }], ...(stream ? { stream } : {}) };
    default:
      return { model };
  }
}

/** Quotes any text as a single word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
