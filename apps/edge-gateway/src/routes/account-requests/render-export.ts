import type { RequestLogEntry } from '@gateway/contracts';

export type ExportFormat = 'csv' | 'jsonl';

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** Columns in their order; what is nested in an entry is named by its path. */
const columns = [
  ...[
    'id',
    'created_at',
    'session_id',
    'key_id',
    'client_request_id',
    'endpoint',
    'format',
    'provider',
    'model',
  ],
  ...['requested_model', 'stream', 'status', 'http_status', 'error_code', 'intent', 'tools_in', 'tools_out'],
  ...['routing', 'k', 'k_reason', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens'],
  ...[
    'usage_estimated',
    'estimated_tokens_saved',
    'compression_tokens_saved',
    'cost_usd',
    'provider_savings_usd',
    'gross_savings_usd',
  ],
  ...['ms.total', 'ms.first_byte', 'ms.overhead', 'ms.auth', 'ms.plan', 'ms.upstream', 'trace_id'],
] as const;

/** The line above the first entry: the columns' names in CSV, nothing in JSON lines. */
export function renderHead(format: ExportFormat): string {
  return format === 'csv' ? `${columns.join(',')}\r\n` : '';
}

/** One entry: a line of JSON, or a record of CSV (RFC 4180). What is null is an empty field. */
export function renderLine(format: ExportFormat, entry: RequestLogEntry): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`;
  return `${columns.map((column) => renderField(readPath(entry, column))).join(',')}\r\n`;
}

function readPath(entry: object, path: string): unknown {
  const [name = '', nested] = path.split('.');
  const value: unknown = (entry as Record<string, unknown>)[name];
  return nested === undefined ? value : (value as Record<string, unknown>)[nested];
}

/** A text that a spreadsheet would take for a formula (clients choose session ids) is set off by an apostrophe. */
function renderField(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
