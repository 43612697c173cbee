import { isUtf8 } from 'node:buffer';
import { contentPartBytesMax, type ContentPart, type RequestContent } from '@gateway/contracts';
import { redactText, type SecretSet } from '@gateway/observability';

/**
 * Number of extra bytes that are copied beyond the size limit and removed after redaction. Without the extra bytes,
 * a secret that crosses the size limit could be redacted only partially.
 */
const marginBytes = 1024;
export const copiedBytesMax = contentPartBytesMax + marginBytes;

/** The first bytes of a body (at most `copiedBytesMax`), and the length of the whole body. */
export interface CopiedPart {
  readonly shown: Uint8Array;
  readonly bytesOfAll: number;
}

/** A request's contents before redaction. */
export interface CopiedContent {
  readonly request: CopiedPart;
  /** Null if the response has no body. */
  readonly answer: CopiedPart | null;
}

/**
 * Renders the contents of a request with all credentials removed. Redacts all credentials in known formats,
 * and all secrets of the account.
 */
export function renderContent(
  { request, answer }: CopiedContent,
  secrets: SecretSet | undefined,
): RequestContent {
  return {
    request: renderPart(request, secrets),
    answer: answer === null ? null : renderPart(answer, secrets),
  };
}

function renderPart({ shown, bytesOfAll }: CopiedPart, secrets: SecretSet | undefined): ContentPart {
  const isCut = bytesOfAll > contentPartBytesMax;
  // Truncation can split a multi-byte character.
  const isText = isUtf8(isCut ? shown.subarray(0, wholeCharacters(shown)) : shown);
  if (!isText) {
    const whole = Buffer.from(shown.subarray(0, contentPartBytesMax)).toString('base64');
    return { encoding: 'base64', text: whole, bytes: bytesOfAll, isCut };
  }
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(shown, { stream: true });
  const text = redactText(decoded, secrets);
  return { encoding: 'utf8', text: isCut ? text.slice(0, -marginBytes) : text, bytes: bytesOfAll, isCut };
}

/**
 * Returns the length of the text up to the end of its last complete UTF-8 character. A UTF-8 character has at
 * most three bytes after its first byte.
 */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) !== 0b1000_0000) return bytes.length - back;
  }
  return bytes.length;
}
