import { createReadStream } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import { LineBytes } from './shipped-event.ts';
import type { Segment } from './segment.ts';
import { SegmentWriter, createSegment, segmentSuffix } from './segment.ts';
import {
  acceptLineRequestId,
  endLineRequestId,
  isAcceptLine,
  isWholeLine,
  parseAcceptLine,
  writeEndLine,
} from './spool-line.ts';
import type { SpoolLog } from './shipped-batches.ts';

/** Number of `interrupted` end lines per write. */
const endingsPerWrite = 1000;

interface RecoveredDirectory {
  /**
   * Closed segment files, oldest first. The spool ships the events in these files. The dead process may already
   * have shipped some of these events.
   */
  readonly segments: readonly Segment[];
  readonly interrupted: number;
}

/**
 * Recovers the spool directory of a process that died. The caller must have locked the spool directory.
 * For each accepted request without an end line, an `interrupted` end line is written to a separate segment.
 * The recovery skips incomplete and damaged lines. An interrupted recovery of a spool directory can safely be repeated.
 */
export async function recoverDirectory(
  directory: string,
  options: { readonly log: SpoolLog; readonly now: () => number },
): Promise<RecoveredDirectory> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(segmentSuffix)).sort();
  const open = new Map<string, RequestAcceptedV1>();
  const ended = new Set<string>();
  const segments: Segment[] = [];
  for (const name of names) {
    const path = join(directory, name);
    const segment = await readSegment(
      { path, id: name.slice(0, -segmentSuffix.length), open, ended },
      options,
    );
    if (segment === null) await unlink(path);
    else segments.push(segment);
  }
  for (const id of ended) open.delete(id);
  segments.push(...(await writeInterrupted(directory, [...open.values()], options.now)));
  return { segments, interrupted: open.size };
}

interface SegmentFile {
  readonly path: string;
  readonly id: string;
  readonly open: Map<string, RequestAcceptedV1>;
  readonly ended: Set<string>;
}

async function readSegment(
  file: SegmentFile,
  options: { readonly log: SpoolLog; readonly now: () => number },
): Promise<Segment | null> {
  const segment = createSegment({ ...file, openedAtMs: options.now(), recovered: true });
  let rest: Buffer = Buffer.alloc(0);
  let damagedLines = 0;
  // Other work runs between two chunks of the stream, so recovering a large directory does not block the running process.
  for await (const chunk of createReadStream(file.path, { highWaterMark: 1 << 20 })) {
    const bytes: Buffer = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
      if (!noteLine(file, bytes, start, end)) damagedLines += 1;
      start = end + 1;
    }
    segment.bytes += start;
    rest = bytes.subarray(start);
  }
  if (damagedLines > 0 || rest.length > 0) {
    options.log.warn(
      { segment: file.path, damagedLines, tornBytes: rest.length },
      'skipped incomplete lines of a spool segment',
    );
  }
  segment.sealedAtMs = options.now();
  return segment.bytes === 0 ? null : segment;
}

function noteLine(file: SegmentFile, bytes: Buffer, start: number, end: number): boolean {
  const line = bytes.toString('utf8', start, end);
  if (isAcceptLine(bytes, start)) {
    const accepted = parseAcceptLine(line);
    if (accepted !== null) file.open.set(acceptLineRequestId(bytes, start), accepted);
    return accepted !== null;
  }
  if (!isWholeLine(line)) return false;
  file.ended.add(endLineRequestId(bytes, start));
  return true;
}

async function writeInterrupted(
  directory: string,
  accepted: readonly RequestAcceptedV1[],
  now: () => number,
): Promise<Segment[]> {
  const segments: Segment[] = [];
  const onSegment = (segment: Segment) => segments.push(segment);
  const writer = new SegmentWriter({ directory, segmentBytesMax: 16 << 20, now, onSegment });
  const lines = new LineBytes();
  for (let at = 0; at < accepted.length; at += endingsPerWrite) {
    lines.clear();
    for (const event of accepted.slice(at, at + endingsPerWrite))
      writeEndLine(renderInterruptedEvent(event), null, lines);
    await writer.append(lines.written);
  }
  await writer.seal();
  return segments;
}

/** Creates the end event for a request that was open when its gateway process died. */
function renderInterruptedEvent(accepted: RequestAcceptedV1): RequestEventV1 {
  return {
    ...accepted,
    status: 'interrupted',
    httpStatus: null,
    errorCode: null,
    errorMessage: null,
    losses: [],
    requestedModel: null,
    model: null,
    provider: null,
    providerRequestId: null,
    stream: false,
    lane: null,
    toolsOffered: null,
    toolsIn: 0,
    toolsOut: 0,
    toolsPruned: null,
    toolTokensSaved: null,
    offeredTools: [],
    compressionSteps: [],
    context: null,
    calledTools: [],
    recoveredTools: [],
    deniedTools: [],
    hiddenRounds: 0,
    recoveryTokens: 0,
    modelChoice: null,
    usage: null,
    costUsd: null,
    providerSavingsUsd: null,
    grossSavingsUsd: null,
    ms: { total: 0, firstByte: null, overhead: null, auth: null, plan: null, upstream: null },
    prompt: null,
    plan: null,
  };
}
