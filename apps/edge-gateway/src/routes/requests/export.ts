import { exportRequests, type RequestFilter, type RequestLogEntry } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';

export type ExportFormat = 'csv' | 'jsonl';

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** The columns in order. A nested field is named by its path. */
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

/** Text before the first entry: the column names for CSV, nothing for JSON lines. */
export function renderHead(format: ExportFormat): string {
  return format === 'csv' ? `${columns.join(',')}\r\n` : '';
}

/** Renders one entry as a JSON line or a CSV record (RFC 4180). Null becomes an empty field. */
export function renderLine(format: ExportFormat, entry: RequestLogEntry): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`;
  return `${columns.map((column) => renderField(readPath(entry, column))).join(',')}\r\n`;
}

function readPath(entry: object, path: string): unknown {
  const [name = '', nested] = path.split('.');
  const value: unknown = (entry as Record<string, unknown>)[name];
  return nested === undefined ? value : (value as Record<string, unknown>)[nested];
}

/**
 * Adds an apostrophe before text that a spreadsheet would run as a formula, because clients choose session
 * ids freely.
 */
function renderField(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const pageRows = 1_000;
const rowsMax = 1_000_000;

interface ExportQuery {
  readonly accountId: string;
  readonly filter: RequestFilter;
  readonly format: ExportFormat;
}

/** Streams the text of an export. The next page is read only after the previous one was sent. */
export async function* readExport(
  messaging: Messaging,
  { accountId, filter, format }: ExportQuery,
): AsyncGenerator<string> {
  let before: string | null = null;
  const head = renderHead(format);
  if (head !== '') yield head;
  for (let rows = 0; rows < rowsMax; rows += pageRows) {
    const requests = await readPage(messaging, accountId, filter, before);
    if (requests.length > 0) yield requests.map((entry) => renderLine(format, entry)).join('');
    if (requests.length < pageRows) return;
    before = requests.at(-1)?.id ?? null;
  }
}

async function readPage(
  messaging: Messaging,
  accountId: string,
  filter: RequestFilter,
  before: string | null,
): Promise<readonly RequestLogEntry[]> {
  const call = { accountId, filter, before, limit: pageRows };
  return (await messaging.call(exportRequests, call)).requests;
}
