import { GatewayError } from '@gateway/errors';

/**
 * Minimum length of a credential. The log cannot redact shorter credentials, because their text also occurs
 * in ordinary words. The log redactor has the same minimum length for secrets (`secretCharsMin`).
 */
const charsMin = 8;
/**
 * Matches characters that have a meaning in JSON, log lines or markup. No provider issues keys that contain
 * the matched characters.
 */
const structural = /["'`\\{}[\]<>]/;
/**
 * Matches a single word in lower case, in upper case or with a capital first letter, such as "assistant". A
 * real key of up to 19 characters has digits or mixed case.
 */
const word = /^(?:[a-z]{1,19}|[A-Z]{1,19}|[A-Z][a-z]{1,18})$/;
/**
 * Common phrases of several words. The gateway rejects common phrases as credentials, because the phrases
 * occur in every request or log line.
 */
const commonTexts: ReadonlySet<string> = new Set([
  'application/json',
  'chat-completions',
  'chat.completion',
  'chat.completion.chunk',
  'content-type',
  'edge-gateway',
  'finish_reason',
  'input_schema',
  'text/event-stream',
  'tool_calls',
  'tool_choice',
  'tool_use',
  '00000000',
  '12345678',
]);

/**
 * Rejects a credential that looks like part of a log line or of a request. The log redacts the text of a
 * stored credential everywhere. If an ordinary word were stored as a credential, the account's log would
 * become unreadable. The error does not contain the credential.
 * @param param the field's name
 * @throws GatewayError `invalid_field`, with the name of the field and the fix
 */
export function checkCredential(param: string, value: string): void {
  checkCharacters(param, value);
  const reason = findFault(value);
  if (reason !== undefined) throw refuse(param, reason);
}

/**
 * Rejects white space and other characters that no provider issues in a key.
 * @throws GatewayError `invalid_field`, with the name of the field and the fix
 */
export function checkCharacters(param: string, value: string): void {
  if (/^Bearer\s/i.test(value)) throw refuse(param, 'must contain only the key, without the word "Bearer".');
  if (/\s/.test(value))
    throw refuse(param, 'contains white space. Copy the key again, without spaces and line breaks.');
  if (!/^[\x21-\x7e]*$/.test(value)) throw refuse(param, `must consist of visible ASCII characters. ${fix}`);
}

/** Creates the error for a credential. The text never contains the credential. */
export function refuse(param: string, reason: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" ${reason}` });
}

const fix = 'Send the key exactly as the provider shows it, without quotes or JSON around it.';
const noKey = 'If the server needs no key, leave the field out. Otherwise use a longer, random key.';

function findFault(value: string): string | undefined {
  if (value.startsWith('{'))
    return 'holds a JSON document instead of a key. Send a Google key file in the field "service_account".';
  if (structural.test(value)) return `must not contain quotes, brackets, braces or backslashes. ${fix}`;
  if (value.length < charsMin) return `must have at least ${charsMin} characters. ${noKey}`;
  if (word.test(value) || commonTexts.has(value.toLowerCase()))
    return `must not be a common word, because the gateway removes it from the account’s logs. ${noKey}`;
  return undefined;
}
