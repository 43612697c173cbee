/** Where a body comes from. Told to wait, it may still send what it had at hand. */
interface BodySource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Whoever reads a body. What it throws breaks the body off. */
export interface BodyReader {
  /** Says whether there is room for more; where there is none, `AnswerBody.resume` says when there is. */
  take(chunk: Buffer): boolean;
  /** All of it was taken. */
  end(): void;
  /** There will be no more of it. */
  fail(error: Error): void;
}

/** What waits for a reader; past it the source is told to wait. As much as undici's and Node's own streams hold. */
const heldBytesMax = 64 * 1024;

/**
 * The body of a provider's answer: for one reader, who is given each chunk when it comes in. A `Readable` costs three times
 * as much for an answer of one chunk.
 */
export class AnswerBody {
  readonly #source: BodySource;
  #followers: ((isWhole: boolean) => void)[] = [];
  #reader: BodyReader | undefined;
  #hasRoom = true;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #hasEnded = false;
  #isOver = false;
  #failure: Error | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Told when nothing more comes of it: all of it was read, or it broke off, or it was discarded. */
  follow(over: (isWhole: boolean) => void): void {
    this.#followers.push(over);
  }

  /** What has come in is given before this returns. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    if (this.#isOver) process.nextTick(() => this.#failure && reader.fail(this.#failure));
    else this.#flow();
  }

  /** There is room again. */
  resume(): void {
    this.#hasRoom = true;
    // A source that is told to go on may send at once: not from inside of another one that is sending.
    queueMicrotask(() => this.#flow());
  }

  /** Nobody wants the rest: the call is ended, unless all of it is here. Does nothing to a body that was read whole. */
  discard(): void {
    if (!this.#isOver) this.fail(new Error('the connection was closed before the answer was complete'));
  }

  /** Of the source: what comes next. */
  push(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#reader !== undefined && this.#hasRoom && this.#held.length === 0) {
      this.#give(chunk, this.#reader);
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= heldBytesMax) this.#source.pause();
  }

  /** Of the source: that was all. */
  end(): void {
    this.#hasEnded = true;
    this.#endReading();
  }

  /** It breaks off: what was not read is dropped. Its reader and followers are told later, never from inside of this. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = error;
    this.#held = [];
    this.#source.abort(error);
    const tell = (): void => {
      this.#reader?.fail(error);
      this.#tellFollowers(false);
    };
    // Whoever has just been given it is yet to begin.
    if (this.#reader === undefined) setImmediate(tell);
    else process.nextTick(tell);
  }

  #flow(): void {
    const reader = this.#reader;
    if (reader === undefined || this.#isOver) return;
    while (this.#hasRoom && this.#held.length > 0) {
      const chunk = this.#held.shift() as Buffer;
      this.#heldBytes -= chunk.length;
      this.#give(chunk, reader);
    }
    if (this.#hasEnded) this.#endReading();
    else if (this.#heldBytes < heldBytesMax) this.#source.resume();
  }

  #give(chunk: Buffer, reader: BodyReader): void {
    try {
      this.#hasRoom = reader.take(chunk);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #endReading(): void {
    if (this.#reader === undefined || this.#isOver || !this.#hasRoom || this.#held.length > 0) return;
    this.#isOver = true;
    this.#reader.end();
    this.#tellFollowers(true);
  }

  #tellFollowers(isWhole: boolean): void {
    for (const over of this.#followers) over(isWhole);
    this.#followers = [];
  }
}

/** What was read of a body: whole, or as far as the bound, with the rest still to come. */
interface ReadBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Reads a body up to a bound. Past it the body stands still: whoever reads discards it. Rejects with the body's error. */
export function readWhole(body: AnswerBody, bytesMax: number): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (isWhole: boolean): void =>
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size), isWhole });
    body.read({
      take(chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= bytesMax) return true;
        done(false);
        return false;
      },
      end: () => done(true),
      fail: reject,
    });
  });
}

/** Errors are short; the rest of a longer one is not waited for. */
const unwantedBytesMax = 64 * 1024;

/**
 * Lets a body go by that nobody wants: read to its end, its call counts as answered and its connection can be used again, where
 * one that is discarded breaks off.
 */
export function passOver(body: AnswerBody): void {
  readWhole(body, unwantedBytesMax).then(
    () => body.discard(),
    () => undefined,
  );
}
