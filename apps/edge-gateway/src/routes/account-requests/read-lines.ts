import { exportRequests, type RequestFilter, type RequestLogEntry } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { renderHead, renderLine, type ExportFormat } from './render-export.ts';

const pageRows = 1_000;
const rowsMax = 1_000_000;

export interface ExportQuestion {
  readonly accountId: string;
  readonly filter: RequestFilter;
  readonly format: ExportFormat;
}

/** The text of an export, a page at a time, each read when the one before has gone out. */
export async function* readLines(
  messaging: Messaging,
  { accountId, filter, format }: ExportQuestion,
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
