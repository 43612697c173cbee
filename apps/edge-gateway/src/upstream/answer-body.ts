import { ByteList } from '../bytes/byte-list.ts';

/** The source from which a response body is read. The source may still push buffered chunks after a call to `pause`. */
interface BodySource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** A function that reads a response body. If the reader throws, the response body is aborted. */
export interface BodyReader {
  /**
   * Accepts a chunk of the response body. Returns whether the reader can accept more chunks. A reader that is
   * full must call `AnswerBody.resume` when it has room again.
   */
  take(chunk: Buffer): boolean;
  /** The body calls this method when the response is complete. */
  end(): void;
  /** The body calls this method when the response was aborted. */
  fail(error: Error): void;
}

/**
 * Maximum number of bytes that are buffered without a reader before the source is paused. The value is the same
 * as in undici and in Node streams.
 */
const heldBytesMax = 64 * 1024;
const noBytes = Buffer.alloc(0);

/**
 * The body of a provider's response, for a single reader that receives each chunk as it arrives. A provider can
 * send thousands of chunks of one byte. Within one socket read, all chunks after the first are joined into a few
 * large pieces. For a response with a single chunk, a `Readable` would take three times as long as this class.
 */
export class AnswerBody {
  readonly #source: BodySource;
  #followers: ((isWhole: boolean) => void)[] = [];
  #reader: BodyReader | undefined;
  #hasRoom = true;
  /** Whether the reader has already received a chunk of the current socket read. */
  #hasGiven = false;
  readonly #held = new ByteList();
  #hasEnded = false;
  #isOver = false;
  #failure: Error | undefined;
  /** A callback for the first bytes, or for the end of an empty body. */
  #arrived: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /**
   * Registers a callback for the end of the body. A response body ends when the body is completely read,
   * aborted or discarded.
   */
  follow(over: (isWhole: boolean) => void): void {
    this.#followers.push(over);
  }

  /**
   * Waits for the first bytes without reading them. This method must be called before `read`. If the body ends or
   * fails before the first byte, the method returns no bytes.
   */
  async peek(): Promise<Buffer> {
    if (this.#held.size === 0 && !this.#hasEnded && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    return this.#held.pieces()[0] ?? noBytes;
  }

  /**
   * Starts reading the response body. Chunks that have already arrived are passed to the reader before this
   * method returns.
   */
  read(reader: BodyReader): void {
    this.#reader = reader;
    if (this.#isOver) process.nextTick(() => this.#failure && reader.fail(this.#failure));
    else this.#flow();
  }

  /** Passes further chunks to the reader after `take` has returned false. */
  resume(): void {
    this.#hasRoom = true;
    // The microtask prevents the resumed source from pushing a chunk while another source is still pushing one.
    queueMicrotask(() => this.#flow());
  }

  /**
   * Aborts the provider call unless its response body is already complete. After the body was read
   * completely, the method has no effect.
   */
  discard(): void {
    if (!this.#isOver) this.fail(new Error('the connection was closed before the response was complete'));
  }

  /** The source calls this method with each chunk. */
  push(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#reader !== undefined && this.#hasRoom && this.#held.size === 0 && !this.#hasGiven) {
      this.#hasGiven = true;
      // The microtask runs after the source has pushed all chunks of the current socket read.
      queueMicrotask(this.#continue);
      this.#give(chunk, this.#reader);
      return;
    }
    this.#held.push(chunk);
    this.#arrived?.();
    if (this.#held.size >= heldBytesMax) this.#source.pause();
  }

  readonly #continue = (): void => {
    this.#hasGiven = false;
    if (this.#held.size > 0) this.#flow();
  };

  /**
   * The source calls this method if the body ends early with an error. The reader receives
   * all earlier chunks before the error.
   */
  breakOff(error: Error): void {
    if (this.#held.size > 0) this.#flow();
    this.fail(error);
  }

  /** The source calls this method after the last chunk. */
  end(): void {
    this.#hasEnded = true;
    this.#arrived?.();
    this.#endReading();
  }

  /**
   * Aborts the response body and drops unread chunks. The reader and the end callbacks are notified after
   * this method has returned.
   */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = error;
    this.#held.clear();
    this.#arrived?.();
    this.#source.abort(error);
    const tell = (): void => {
      this.#reader?.fail(error);
      this.#tellFollowers(false);
    };
    // The caller may not have started to read the response body yet.
    if (this.#reader === undefined) setImmediate(tell);
    else process.nextTick(tell);
  }

  #flow(): void {
    const reader = this.#reader;
    if (reader === undefined || this.#isOver) return;
    while (this.#hasRoom) {
      const chunk = this.#held.shift();
      if (chunk === undefined) break;
      this.#give(chunk, reader);
    }
    if (this.#hasEnded) this.#endReading();
    else if (this.#held.size < heldBytesMax) this.#source.resume();
  }

  #give(chunk: Buffer, reader: BodyReader): void {
    try {
      this.#hasRoom = reader.take(chunk);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #endReading(): void {
    if (this.#reader === undefined || this.#isOver || !this.#hasRoom || this.#held.size > 0) return;
    this.#isOver = true;
    this.#reader.end();
    this.#tellFollowers(true);
  }

  #tellFollowers(isWhole: boolean): void {
    for (const over of this.#followers) over(isWhole);
    this.#followers = [];
  }
}

/** The bytes that were read from a response body. A body above the maximum length is truncated. */
interface ReadBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/**
 * Reads a response body up to a size limit. If the body exceeds the limit, the function pauses the body, and
 * the caller must discard it. The promise rejects with the error that aborted the body.
 * @param reserve receives the length of each chunk before the chunk is buffered. If `reserve` throws an
 * error, the body is aborted with that error.
 */
export function readWhole(
  body: AnswerBody,
  bytesMax: number,
  reserve?: (bytes: number) => void,
): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const read = new ByteList();
    const done = (isWhole: boolean): void => resolve({ bytes: read.concat(), isWhole });
    body.read({
      take(chunk) {
        reserve?.(chunk.length);
        read.push(chunk);
        if (read.size <= bytesMax) return true;
        done(false);
        return false;
      },
      end: () => done(true),
      fail: reject,
    });
  });
}

/**
 * Maximum number of bytes that are read from an unused body. The bodies of error responses are usually short. An
 * error body above the maximum is truncated.
 */
const unwantedBytesMax = 64 * 1024;

/**
 * Reads an unused response body to its end, so that the call ends normally and its connection can be reused.
 * Discarding an unread body would close the connection.
 */
export function passOver(body: AnswerBody): void {
  readWhole(body, unwantedBytesMax).then(
    () => body.discard(),
    () => undefined,
  );
}

/** Maximum length of a provider's error body in bytes. Error bodies above this length are truncated. */
export const errorBytesMax = 1024 * 1024;

/**
 * Reads a provider's error body, and returns a new `body` with the same bytes for the caller. If the
 * response ends too early, reading `body` fails with the error of the response.
 */
export async function peekError(
  error: AnswerBody,
): Promise<{ readonly bytes: Buffer; readonly body: AnswerBody }> {
  const nothing = (): void => undefined;
  const body = new AnswerBody({ pause: nothing, resume: nothing, abort: nothing });
  try {
    const { bytes, isWhole } = await readWhole(error, errorBytesMax);
    if (!isWhole) error.discard();
    body.push(bytes);
    body.end();
    return { bytes, body };
  } catch (failure) {
    body.fail(failure instanceof Error ? failure : new Error(String(failure)));
    return { bytes: noBytes, body };
  }
}
