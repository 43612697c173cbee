import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import {
  tryLockDirectory,
  createSpoolDirectory,
  deleteCommittedSegments,
  leaveDirectory,
  type SpoolDirectory,
} from './spool-directory.ts';
import { LineBytes } from './shipped-event.ts';
import { createLineGroup, expectBytes, writeLines, type LineGroup, type PendingLine } from './spool-line.ts';
import { recoverDirectory } from './recover-directory.ts';
import type { Segment } from './segment.ts';
import { SegmentWriter } from './segment.ts';
import { endingReserveBytes, renderRefusal, SpoolShares } from './spool-shares.ts';
import type { RequestSpoolOptions } from './spool-directory.ts';

/** Minimum number of segment files to keep. A segment uses disk space until all of its events are committed. */
const segmentsMin = 16;
const writeRetryMs = 250;
const endingDelayMs = 2;
/** With more open requests, one iteration of the event loop is likely to produce several lines. */
const crowd = 8;
/** Time in milliseconds after which the open accept lines of a committed segment are copied. */
const carryAfterMs = 10_000;

interface OpenRequest {
  readonly accepted: RequestAcceptedV1;
  segment: Segment | null;
  ended: boolean;
}

/**
 * The spool is the first store of the request log. A request counts as accepted once its accept line is in a
 * file. The end line of a request is written when the request ends. Under load, one write contains all lines
 * of an event loop turn. Only one write to the spool runs at a time.
 */
export class RequestSpool {
  static async open(options: RequestSpoolOptions): Promise<RequestSpool> {
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    const spool = new RequestSpool(options, createSpoolDirectory(options.dir, options.instanceId));
    await spool.adoptOrphans();
    return spool;
  }

  readonly #options: RequestSpoolOptions;
  readonly #now: () => number;
  readonly #own: SpoolDirectory;
  readonly #adopted: SpoolDirectory[] = [];
  readonly #writer: SegmentWriter;
  readonly #open = new Map<string, OpenRequest>();
  readonly #shares: SpoolShares;
  #group: LineGroup = createLineGroup();
  #flushing: Promise<void> | null = null;
  #endingTimer: NodeJS.Timeout | null = null;
  /** The lines of the write that is currently in progress. */
  readonly #lines = new LineBytes();
  #writingBytes = 0;
  #bytesOnDisk = 0;
  #carrying: Segment | null = null;
  /** Events of ended requests that are not written yet. */
  readonly #endings = new Set<Promise<void>>();
  #closed = false;
  #closing: Promise<void> | null = null;

  private constructor(options: RequestSpoolOptions, own: SpoolDirectory) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#own = own;
    this.#shares = new SpoolShares(options.bytesMax);
    this.#writer = new SegmentWriter({
      directory: own.path,
      segmentBytesMax: options.segmentBytesMax ?? Math.min(8 << 20, options.bytesMax / segmentsMin),
      now: this.#now,
      onSegment: (segment) => own.segments.push(segment),
    });
  }

  /**
   * Resolves when the accept line is in the segment file.
   * @throws GatewayError `service_unavailable` if the spool or the account's share of the spool is full, if
   * the spool is closed, or if a disk write fails
   */
  async accept(event: RequestAcceptedV1): Promise<void> {
    if (this.#closed) throw renderRefusal('the spool is closed');
    this.#shares.admit(event.accountId, this.usedBytes);
    this.#open.set(event.requestId, { accepted: event, segment: null, ended: false });
    this.#push({ kind: 'accept', event });
    this.#group.written ??= Promise.withResolvers<undefined>();
    await this.#group.written.promise;
  }

  /**
   * Records the end of an accepted request. Only the first call for each request records an end. The method never
   * throws. If `event` is a promise, it must not reject.
   */
  finish(event: RequestEventV1 | Promise<RequestEventV1>, traceparent: string | null): void {
    if (event instanceof Promise) {
      const ending = event.then((known) => this.finish(known, traceparent));
      this.#endings.add(ending);
      void ending.finally(() => this.#endings.delete(ending));
      return;
    }
    const open = this.#open.get(event.requestId);
    if (open === undefined || open.ended) {
      this.#options.log.error(
        { requestId: event.requestId, status: event.status },
        'the ended request is not open',
      );
      return;
    }
    open.ended = true;
    this.#push({ kind: 'end', event, traceparent });
  }

  /** Total number of bytes on disk, bytes being written, and reserved bytes. */
  get usedBytes(): number {
    return this.#bytesOnDisk + this.#writingBytes + this.#group.bytes + this.#open.size * endingReserveBytes;
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** All segment files that are not deleted yet, starting with the segments of adopted directories. */
  segments(): readonly Segment[] {
    return [...this.#adopted, this.#own].flatMap((directory) => directory.segments);
  }

  /** Closes old segments, deletes committed segments, and copies accept lines that block a deletion. */
  async tidy(): Promise<void> {
    const current = this.#writer.current;
    const ageMaxMs = this.#options.segmentAgeMaxMs ?? 60_000;
    if (current !== null && this.#flushing === null && this.#now() - current.openedAtMs >= ageMaxMs) {
      await this.#writer.seal();
    }
    for (const directory of [...this.#adopted, this.#own]) {
      const { bytes, heldBy } = await deleteCommittedSegments(directory, this.#shares.noteDeleted);
      this.#bytesOnDisk -= bytes;
      if (heldBy !== null) this.#carryForward(heldBy);
      if (directory !== this.#own && directory.segments.length === 0) {
        this.#adopted.splice(this.#adopted.indexOf(directory), 1);
        leaveDirectory(directory);
      }
    }
  }

  /** Adopts spool directories left by dead processes. Returns the number of adopted directories. */
  async adoptOrphans(): Promise<number> {
    let adopted = 0;
    for (const entry of readdirSync(this.#options.dir, { withFileTypes: true })) {
      const path = join(this.#options.dir, entry.name);
      const mine = [this.#own, ...this.#adopted].some((directory) => directory.path === path);
      if (entry.isDirectory() && !mine && (await this.#adopt(path))) adopted += 1;
    }
    return adopted;
  }

  /** Stops accepting requests and writes pending lines. If the disk fails, the spool does not retry. */
  async drain(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#endings);
    await this.flush();
  }

  /** Resolves once all pending lines are written. */
  async flush(): Promise<void> {
    if (this.#group.lines.length > 0) this.#startFlush();
    await this.#flushing;
  }

  /** Closes the spool. The next process marks open requests in uncommitted data as `interrupted`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.drain();
    await this.#writer.seal();
    await this.tidy();
    for (const directory of [...this.#adopted, this.#own]) leaveDirectory(directory);
  }

  async #adopt(path: string): Promise<boolean> {
    const lock = tryLockDirectory(path);
    if (lock === null) return false;
    const { log } = this.#options;
    try {
      const { segments, interrupted } = await recoverDirectory(path, { log, now: this.#now });
      const directory: SpoolDirectory = { path, lock, segments: [...segments] };
      if (segments.length === 0) {
        leaveDirectory(directory);
        return true;
      }
      this.#adopted.push(directory);
      this.#bytesOnDisk += segments.reduce((sum, segment) => sum + segment.bytes, 0);
      log.info(
        { path, segments: segments.length, interrupted },
        'adopted the spool directory of a dead process',
      );
      return true;
    } catch (error) {
      lock.release();
      log.error({ path, err: error }, 'the spool directory of a dead process could not be read');
      return false;
    }
  }

  #push(line: PendingLine): void {
    this.#group.lines.push(line);
    this.#group.bytes += expectBytes(line);
    if (this.#flushing !== null) return;
    // End lines are not urgent, so they are written together with the next accept line.
    if (line.kind === 'end') this.#endingTimer ??= setTimeout(() => this.#startFlush(), endingDelayMs);
    else this.#startFlush();
  }

  #startFlush(): void {
    if (this.#endingTimer !== null) clearTimeout(this.#endingTimer);
    this.#endingTimer = null;
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // Under low load, a write starts immediately. The write also includes further lines from this event loop turn.
    await new Promise<void>((resolve) => {
      if (this.#open.size < crowd) process.nextTick(resolve);
      else setImmediate(resolve);
    });
    while (this.#group.lines.length > 0) {
      const group = this.#group;
      this.#group = createLineGroup();
      this.#writingBytes = group.bytes;
      const failed = await this.#write(group);
      this.#writingBytes = 0;
      if (failed && this.#closed) break;
      if (failed) await sleep(writeRetryMs);
    }
    this.#flushing = null;
  }

  async #write(group: LineGroup): Promise<boolean> {
    try {
      writeLines(group, this.#lines);
      const { segment, bytes } = await this.#writer.append(this.#lines.written);
      this.#bytesOnDisk += bytes;
      const scale = bytes / group.bytes;
      for (const line of group.lines) this.#noteWritten(line, segment, expectBytes(line) * scale);
      group.written?.resolve(undefined);
      return false;
    } catch (error) {
      this.#options.log.error({ err: error, lines: group.lines.length }, 'the spool could not be written');
      this.#undo(group, error);
      return true;
    }
  }

  #noteWritten(line: PendingLine, segment: Segment, bytes: number): void {
    const { requestId, accountId } = line.event;
    this.#shares.noteWritten(segment, accountId, bytes);
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    if (open.segment !== null) open.segment.openAccepts -= 1;
    if (line.kind === 'end') {
      this.#open.delete(requestId);
      this.#shares.close(accountId);
      return;
    }
    open.segment = segment;
    segment.openAccepts += 1;
  }

  /** Rejects the `accept` calls of a failed write. The process keeps rewriting end lines until they are stored. */
  #undo(group: LineGroup, cause: unknown): void {
    for (const { kind, event } of group.lines) {
      if (kind !== 'accept' || !this.#open.delete(event.requestId)) continue;
      this.#shares.close(event.accountId);
    }
    const endings = group.lines.filter((line) => line.kind === 'end' && this.#open.has(line.event.requestId));
    const waiting = this.#group;
    this.#group = createLineGroup([...endings, ...waiting.lines]);
    this.#group.written = waiting.written;
    this.#carrying = null;
    group.written?.reject(renderRefusal('the spool could not be written', cause));
  }

  /** Copies accept lines of long requests to a newer segment, so that the older segments can be deleted. */
  #carryForward(segment: Segment): void {
    const waitedMs = this.#now() - (segment.sealedAtMs ?? 0);
    if (this.#closed || this.#carrying === segment || waitedMs < carryAfterMs) return;
    this.#carrying = segment;
    for (const open of this.#open.values()) {
      if (open.segment !== segment || open.ended) continue;
      this.#push({ kind: 'carry', event: open.accepted });
    }
  }
}
