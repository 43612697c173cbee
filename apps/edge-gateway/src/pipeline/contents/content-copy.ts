import type { ServerResponse } from 'node:http';
import { applyEdits, isCloudField, removeMembers } from '@gateway/wire-formats';
import { ByteList } from '../../bytes/byte-list.ts';
import type { Turn } from '../../admission/admission.ts';
import type { ParsedRequest } from '../../request/request.ts';
import { copiedBytesMax, type CopiedContent } from './render-content.ts';

/**
 * Copies a request and its response. The response is copied while it is written to the client. A content copy is
 * created only for accounts that opted in to content logging.
 */
export class ContentCopy {
  #request: ParsedRequest | null = null;
  readonly #copied = new ByteList();
  #answerBytes = 0;
  #isFull = false;
  readonly #memory: Turn['memory'] | undefined;

  /** @param exchange the HTTP response to copy, and the admission slot against which the copied bytes count */
  constructor({ response, turn }: { readonly response: ServerResponse; readonly turn: Turn | null }) {
    this.#memory = turn?.memory;
    watchBody(response, (piece) => this.#note(piece));
  }

  /** Stores the parsed request in the copy of its contents. */
  read(request: ParsedRequest): void {
    this.#request = request;
  }

  /** Approximate memory use of the content copy in bytes. */
  get bytes(): number {
    return (this.#request?.bytes.length ?? 0) + this.#copied.size;
  }

  /** Returns the contents without redaction. Returns null for a request that could not be parsed. */
  take(): CopiedContent | null {
    if (this.#request === null) return null;
    const { bytes, tape } = this.#request;
    const own = removeMembers(tape, tape.root, (entry) => isCloudField(tape, entry));
    const request = applyEdits(bytes, own);
    return {
      request: { shown: request.subarray(0, copiedBytesMax), bytesOfAll: request.length },
      answer:
        this.#answerBytes === 0 ? null : { shown: this.#copied.concat(), bytesOfAll: this.#answerBytes },
    };
  }

  #note(piece: unknown): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (!(bytes instanceof Uint8Array)) return;
    this.#answerBytes += bytes.length;
    const room = copiedBytesMax - this.#copied.size;
    if (room <= 0 || this.#isFull) return;
    const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(room, bytes.length));
    if (!this.#reserve(kept.length)) return;
    this.#copied.push(kept);
  }

  /** Counts the bytes against the account's memory. If the account's share is used up, the copying stops. */
  #reserve(bytes: number): boolean {
    try {
      this.#memory?.add(bytes);
      return true;
    } catch {
      this.#isFull = true;
      return false;
    }
  }
}

/**
 * Calls `note` exactly once for each chunk of a response body. In HTTP/2, `end` passes its last chunk to
 * `write`, but in HTTP/1.1 it does not.
 */
function watchBody(response: ServerResponse, note: (piece: unknown) => void): void {
  const write = response.write.bind(response) as (...given: unknown[]) => boolean;
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  let isEnding = false;
  response.write = (...given: unknown[]): boolean => {
    if (!isEnding) note(given[0]);
    return write(...given);
  };
  response.end = (...given: unknown[]): ServerResponse => {
    if (!isEnding) note(given[0]);
    isEnding = true;
    return end(...given);
  };
}
