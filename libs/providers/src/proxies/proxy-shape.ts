import { GatewayError } from '@gateway/errors';
import type { IncomingHeaders } from '../upstream-request.ts';

/** Members of a JSON object. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** A request in a provider's own shape. */
export interface MappedRequest {
  readonly body: JsonFields;
  /** Gives the provider's answer the endpoint's usual shape. Absent: it has it, or the client asked in the provider's own. */
  readonly mapAnswer?: (answer: JsonFields, headers: IncomingHeaders) => JsonFields;
}

/**
 * Gives a request of the endpoint's usual shape (OpenAI's, for rerank Cohere's) a provider's own. Null: it may go as it is.
 *
 * @param model in the provider's own spelling
 * @throws GatewayError `invalid_field` for what the provider has no word for
 */
export type ProxyShape = (asked: JsonFields, model: string) => MappedRequest | null;

export function refuse(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${rule}.` });
}

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members but for some. */
export function without(fields: JsonFields, ...names: readonly string[]): JsonFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The members that have a value. */
export function present(fields: JsonFields): JsonFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The same members, some of them under another name. */
export function renamed(fields: JsonFields, names: Readonly<Record<string, string>>): JsonFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]));
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function fieldsOf(value: unknown): JsonFields {
  return isFields(value) ? value : {};
}

export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/** `1280x720` */
export function sizeOf(value: unknown): { readonly width: number; readonly height: number } | undefined {
  const found = typeof value === 'string' ? /^(\d{1,5})x(\d{1,5})$/.exec(value) : null;
  return found === null ? undefined : { width: Number(found[1]), height: Number(found[2]) };
}

/** `16:9`, of a size: the nearest of those that models take. */
export function aspectOf(size: { readonly width: number; readonly height: number }): string {
  const wanted = size.width / size.height;
  const distance = (name: string): number => {
    const [across = 1, down = 1] = name.split(':').map(Number);
    return Math.abs(Math.log(across / down / wanted));
  };
  return aspects.toSorted((one, other) => distance(one) - distance(other))[0] ?? '1:1';
}

const aspects: readonly string[] = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'];
