export type ExportFormat = 'csv' | 'jsonl';

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/**
 * Text before the first entry of an export. A CSV export starts with the column names. An export as JSON lines
 * starts with the first entry.
 */
export function renderHead(format: ExportFormat, columns: readonly string[]): string {
  return format === 'csv' ? `${columns.join(',')}\r\n` : '';
}

/**
 * Renders one log entry as a JSON line or a CSV record (RFC 4180). In CSV, null is rendered as an empty
 * field, and an object is rendered as JSON.
 * @param columns the columns in order. The path of a nested field is the name of its column.
 */
export function renderLine(format: ExportFormat, entry: object, columns: readonly string[]): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`;
  return `${columns.map((column) => renderField(readPath(entry, column))).join(',')}\r\n`;
}

function readPath(entry: object, path: string): unknown {
  const [name = '', nested] = path.split('.');
  const value: unknown = (entry as Record<string, unknown>)[name];
  return nested === undefined ? value : (value as Record<string, unknown> | null)?.[nested];
}

/**
 * Adds an apostrophe before text that a spreadsheet would run as a formula. The apostrophe is necessary, because
 * text from clients could contain formulas.
 */
function renderField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Number of log entries per page. The gateway and the worker process a page in a few milliseconds each, so
 * that other requests run between pages.
 */
const pageRows = 200;
const rowsMax = 1_000_000;

/** The content of an export, and the format of the export. */
export interface ExportSource<Entry> {
  readonly format: ExportFormat;
  readonly columns: readonly string[];
  /** Reads up to `limit` log entries after the entry `before`, or from the start if `before` is null. */
  readonly readPage: (before: string | null, limit: number) => Promise<readonly Entry[]>;
}

/**
 * Streams the text of an export. The function reads the next page of log entries only after it has sent the
 * previous page.
 */
export async function* readExport<Entry extends { readonly id: string }>({
  format,
  columns,
  readPage,
}: ExportSource<Entry>): AsyncGenerator<string> {
  let before: string | null = null;
  const head = renderHead(format, columns);
  if (head !== '') yield head;
  for (let rows = 0; rows < rowsMax; rows += pageRows) {
    const entries: readonly Entry[] = await readPage(before, pageRows);
    if (entries.length > 0) yield entries.map((entry) => renderLine(format, entry, columns)).join('');
    if (entries.length < pageRows) return;
    before = entries.at(-1)?.id ?? null;
  }
}
