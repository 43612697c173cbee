/** Whose model an id of the hosted service names. Undefined for an ARN of a profile or deployment that does not tell. */
export type ModelFamily = 'anthropic' | 'nova' | 'mistral';

/** Inference profiles prefix the id (`us.anthropic.…`), and ARNs hold it. Claude is the name of one maker's models alone. */
export function mapModelFamily(model: string): ModelFamily | undefined {
  if (/(^|[./])anthropic\.|claude/.test(model)) return 'anthropic';
  if (/(^|[./])amazon\.nova/.test(model)) return 'nova';
  return /(^|[./])mistral\./.test(model) ? 'mistral' : undefined;
}
