/** What any client of any format has to learn from an answer. Held against another reading of the same answer. */
export interface AnswerReading {
  /** All that was said, refusals included. */
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly CallReading[];
  readonly reason: StopReading;
  readonly usage: UsageReading;
  /** Pages of the web that it cites, each once. Read for clients of chat completions. */
  readonly links: readonly string[];
}

export interface CallReading {
  /** Null where the source has none: any will do, if it is one. */
  readonly id: string | null;
  readonly name: string;
  /** The arguments as JSON; the text of those that are none. */
  readonly input: unknown;
}

/** Every format's words for it are more or fewer than these. */
export type StopReading = 'stop' | 'length' | 'calls' | 'filter' | 'pause' | 'error' | 'none' | 'unknown';

/** `input` has the cached tokens in it. */
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
