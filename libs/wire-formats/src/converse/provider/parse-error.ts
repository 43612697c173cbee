import type { ProviderError } from '@gateway/interchange';
import type { AnswerHeaders } from '../../common/format.ts';
import { asList, asObject, asText } from '../../json/read-members.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';
import { mapExceptionToType } from '../exceptions.ts';

/**
 * What an error answer says. The exception's name stands in the header `x-amzn-errortype`, or in the body's `__type`,
 * each with an address after or before it: `ValidationException:http://…`, `com.amazon.coral.service#AccessDeniedException`.
 */
export function parseError(status: number, body: string, headers: AnswerHeaders = {}): ProviderError {
  const parsed = asObject(parseErrorBody(body)) ?? {};
  const header = headers['x-amzn-errortype'];
  const name =
    readName(asText(header) ?? asList(header)[0]) ?? readName(parsed.__type) ?? readName(parsed.code);
  return {
    message: boundMessage(asText(parsed.message) ?? asText(parsed.Message), status),
    type: (name === undefined ? undefined : mapExceptionToType(name)) ?? mapStatusToType(status),
    code: name ?? null,
    param: null,
  };
}

function readName(raw: unknown): string | undefined {
  const name = asText(raw)?.split(':', 1)[0]?.split('#').at(-1)?.trim();
  return name === '' ? undefined : name;
}
