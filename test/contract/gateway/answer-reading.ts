/**
 * The response content that a client of any format must receive. Tests compare this content with the content
 * that an independent parser finds.
 */
export interface AnswerReading {
  /** The response's whole text, including refusals. */
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly CallReading[];
  readonly reason: StopReading;
  readonly usage: UsageReading;
  /** The cited web pages, without duplicates. Only chat-completions clients receive the cited pages. */
  readonly links: readonly string[];
}

export interface CallReading {
  /**
   * The id of the tool call, or null if the source response contains no id. The comparison accepts any id if
   * the source response contains no id.
   */
  readonly id: string | null;
  readonly name: string;
  /** The tool call's arguments, parsed from JSON. Arguments that are not valid JSON are kept as text. */
  readonly input: unknown;
}

/** The stop reason of a response. Stop reasons do not map one to one between formats. */
export type StopReading = 'stop' | 'length' | 'calls' | 'filter' | 'pause' | 'error' | 'none' | 'unknown';

/** The token counts of a response. `input` includes the cached tokens. */
export interface UsageReading {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
}

export type Members = Record<string, unknown>;

export const noUsage: UsageReading = { input: 0, output: 0, cached: 0, written: 0 };

export function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function asNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

export function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

export function asList(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(asMembers) : [];
}

export function linksOf(urls: readonly unknown[]): string[] {
  const pages = urls.map(asText).filter((url) => /^https?:/i.test(url));
  return [...new Set(pages)].toSorted();
}

export function join(texts: readonly unknown[]): string {
  return texts.map(asText).join('');
}
