import type { JsonObject, ResponseFormat, ThinkingSetting } from '@gateway/interchange';
import { asNumber, asObject, asText, optional } from '../../json/read-members.ts';

/** Parses a response format. Returns undefined for a response format with an unknown shape. */
export function parseOutputFormat(raw: unknown): ResponseFormat | undefined {
  const format = asObject(raw);
  if (format?.type !== 'json_schema' || format.schema === undefined) return undefined;
  return { type: 'json-schema', name: undefined, schema: format.schema };
}

/**
 * Renders a JSON schema. Returns undefined for text, which is the default. Returns undefined for JSON without
 * a schema, because the messages format does not support it.
 */
export function renderOutputFormat(format: ResponseFormat): JsonObject | undefined {
  return format.type === 'json-schema' ? { type: 'json_schema', schema: format.schema } : undefined;
}

/** Parses the reasoning settings. Returns undefined for an unknown type of thinking. */
export function parseThinking(raw: unknown): ThinkingSetting | undefined {
  const config = asObject(raw);
  const shown = asText(config?.display);
  const display = shown === undefined ? {} : { shown: shown !== 'omitted' };
  switch (config?.type) {
    case 'enabled':
      return { enabled: true, ...optional('budgetTokens', asNumber(config.budget_tokens)), ...display };
    case 'adaptive':
      return { enabled: true, ...display };
    case 'disabled':
      return { enabled: false };
    default:
      return undefined;
  }
}

export function renderThinking({ enabled, budgetTokens, shown }: ThinkingSetting): JsonObject {
  if (!enabled) return { type: 'disabled' };
  const display = shown === undefined ? {} : { display: shown ? 'summarized' : 'omitted' };
  return budgetTokens === undefined
    ? { type: 'adaptive', ...display }
    : { type: 'enabled', budget_tokens: budgetTokens, ...display };
}
