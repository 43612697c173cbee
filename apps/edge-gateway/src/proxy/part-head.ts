import { GatewayError } from '@gateway/errors';

const modelName = 'model';

/**
 * Returns whether a multipart part is named `model` in its Content-Disposition header. Throws
 * `malformed_multipart` for headers with folded lines, bare CR or LF, or ambiguous names, because parsers read
 * such headers differently (RFC 7578 §4.2, §5.1).
 * @param head the part's headers, without the empty line that ends them
 */
export function namesModel(head: string): boolean {
  const lines = head.split('\r\n');
  // The text starts with the remaining characters of the delimiter's line, followed by the headers of the part.
  // Only spaces and tabs may follow a delimiter.
  const [padding = '', ...fields] = lines;
  const dispositions: string[] = [];
  for (const field of fields) {
    if (/[\r\n]/.test(field)) throw malformed('a header line does not end with CR LF');
    if (/^[ \t]/.test(field)) throw malformed('a header is folded over several lines');
    const colon = field.indexOf(':');
    if (field.slice(0, colon).trim().toLowerCase() !== 'content-disposition') continue;
    dispositions.push(field.slice(colon + 1));
  }
  if (/[\r\n]/.test(padding)) throw malformed('a header line does not end with CR LF');
  const names = dispositions.flatMap(readNames);
  if (!names.some(({ text }) => text === modelName)) return false;
  if (names.length === 1 && names[0]?.isPlain) return true;
  throw malformed('the name of a part is ambiguous');
}

interface PartName {
  readonly text: string;
  /** Whether all parsers would read the same name in the header. */
  readonly isPlain: boolean;
}

/**
 * Returns the values of all `name` and `name*` parameters, as the most lenient parser would read them.
 * Parsers differ in how they treat backslashes and text after a quoted string, and few parsers decode
 * `name*`.
 */
function readNames(disposition: string): PartName[] {
  return splitParameters(disposition).flatMap((parameter) => {
    const equals = parameter.indexOf('=');
    const key = parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    const value = parameter.slice(equals + 1).trim();
    if (key === 'name*') return [{ text: decodePercent(value.replace(/^[^']*'[^']*'/, '')), isPlain: false }];
    if (key !== 'name') return [];
    const isQuoted = value.startsWith('"');
    const end = isQuoted ? value.indexOf('"', 1) : value.length;
    const raw = value.slice(isQuoted ? 1 : 0, end === -1 ? undefined : end);
    const isWhole = !isQuoted || end === value.length - 1;
    return [{ text: raw.replaceAll('\\', ''), isPlain: isWhole && !raw.includes('\\') }];
  });
}

/** Splits a text at semicolons outside quotes. */
function splitParameters(text: string): string[] {
  const parameters: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ';' && !isQuoted) {
      parameters.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parameters, text.slice(start)];
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function malformed(what: string): GatewayError {
  return new GatewayError('malformed_multipart', {
    message: `The multipart body is not valid: ${what}.`,
  });
}
