import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { JsonTape } from '@gateway/wire-formats';

/** Maximum length of an agent's own session id in characters. Agent session ids above this length are truncated. */
const sessionIdLengthMax = 256;
/** Maximum length of `X-Svc-Session-Id` in bytes of UTF-8. Chat requests with a longer session id are rejected. */
const sessionIdBytesMax = 1_024;

/**
 * Returns the client's session id (`X-Svc-Session-Id`). Returns null if the client sent no session id, or a
 * session id that is too long.
 */
export function readSessionId(headers: IncomingHttpHeaders): string | null {
  const id = decodeSessionId(headers);
  return id === '' || Buffer.byteLength(id) > sessionIdBytesMax ? null : id;
}

/** Throws `invalid_field` for a session id that is too long, because truncated ids could merge sessions. */
export function checkSessionId(headers: IncomingHttpHeaders): void {
  if (Buffer.byteLength(decodeSessionId(headers)) <= sessionIdBytesMax) return;
  const message = `The header X-Svc-Session-Id must have at most ${sessionIdBytesMax} bytes.`;
  throw new GatewayError('invalid_field', { param: 'X-Svc-Session-Id', message });
}

/** Node reads header bytes as Latin-1, but clients send UTF-8. Bytes that are not valid UTF-8 are kept as Latin-1. */
function decodeSessionId(headers: IncomingHttpHeaders): string {
  const value = headers['x-svc-session-id'];
  const id = (Array.isArray(value) ? value[0] : value) ?? '';
  const text = Buffer.from(id, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? id : text;
}

/**
 * Headers in which well-known agents send their session id, in lower case. If a request has several session headers,
 * the first header in the list applies.
 */
const agentHeaders = ['x-session-id', 'session-id', 'session_id', 'x-claude-code-session-id'];

/**
 * Returns the session id in an agent's session header (`agentHeaders`), truncated to 256 characters. The
 * agent's session id groups requests in the log if the client sends no `X-Svc-Session-Id`. One agent session
 * has several conversations (for example for subagents and titles), so its id does not identify a conversation.
 */
export function readAgentSessionId(headers: IncomingHttpHeaders): string | null {
  for (const name of agentHeaders) {
    const id = idOf(headers[name]);
    if (id !== null) return id;
  }
  return null;
}

/**
 * Returns the session id that an agent sends in the body, in the field `prompt_cache_key` of OpenAI's formats. The
 * session id in the body is used in the same way as the id in an agent's header.
 */
export function readBodySessionId(tape: JsonTape): string | null {
  return idOf(tape.stringValue(tape.get(tape.root, 'prompt_cache_key')));
}

function idOf(value: string | string[] | undefined): string | null {
  const id = Array.isArray(value) ? value[0] : value;
  return id === undefined || id === '' ? null : id.slice(0, sessionIdLengthMax);
}
