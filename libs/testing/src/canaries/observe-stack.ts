import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { startOtlpReceiver, type OtlpReceiver } from '../otlp-receiver/start-otlp-receiver.ts';
import { openRedisMonitor } from '../redis-monitor/open-redis-monitor.ts';
import type { StackUnderTest } from '../stack/stack-under-test.ts';
import { appendObserved, createObservedFolder, type ObservedKind } from './observed-folder.ts';

const writeEveryMs = 200;
const newline = Buffer.from('\n');
/** Maximum number of recorded bytes. Normal test runs record fewer bytes. */
const bytesMax = 2 * 1024 * 1024 * 1024;

/** Collects chunks of output and periodically writes them to a file. */
class Writer {
  readonly #waiting = new Map<ObservedKind, Buffer[]>();
  readonly #timer = setInterval(() => this.write(), writeEveryMs);
  #dataDir: string | undefined;
  #bytes = 0;
  #isClosed = false;

  /** Sets the target folder. Collected chunks and all later chunks are written to the target folder. */
  open(dataDir: string): void {
    createObservedFolder(dataDir);
    this.#dataDir = dataDir;
  }

  add(kind: ObservedKind, text: string | Uint8Array): void {
    if (this.#isClosed) return;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    if (this.#bytes > bytesMax) return;
    let pieces = this.#waiting.get(kind);
    if (!pieces) this.#waiting.set(kind, (pieces = []));
    pieces.push(bytes, newline);
  }

  write(): void {
    if (this.#dataDir === undefined) return;
    for (const [kind, pieces] of this.#waiting) appendObserved(this.#dataDir, kind, Buffer.concat(pieces));
    this.#waiting.clear();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    this.#dataDir = undefined;
  }
}

export interface StackObserver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT for the observed stack. */
  readonly otlpUrl: string;
  /**
   * Starts recording all NATS and Redis traffic, in addition to traces. The stack must have a NATS user
   * `observer`.
   */
  watch(stack: StackUnderTest): Promise<void>;
  /**
   * Stops recording, before the stack stops. The stack can still export traces, because services that stop would
   * otherwise wait for the receiver.
   */
  stopWatching(): Promise<void>;
  /** Closes the receiver of traces. */
  close(): Promise<void>;
}

/**
 * Records the traffic of an entire stack, as listed in `observedKinds`. Call this function before the stack
 * starts, so that no span is missed.
 */
export async function startObserver(): Promise<StackObserver> {
  const writer = new Writer();
  const receiver: OtlpReceiver = await startOtlpReceiver({ onExport: (body) => writer.add('traces', body) });
  const closing: (() => unknown)[] = [() => writer.close()];
  return {
    otlpUrl: receiver.url,
    watch: async (stack) => {
      writer.open(stack.dataDir);
      closing.unshift(await watchMessages(stack, writer), await watchRedis(stack, writer));
    },
    stopWatching: async () => {
      for (const close of closing.splice(0)) await close();
    },
    close: () => receiver.close(),
  };
}

async function watchMessages(stack: StackUnderTest, writer: Writer): Promise<() => unknown> {
  const { url, user, password } = stack.natsCredentials('observer');
  const nats: NatsConnection = await connect({
    servers: url,
    user,
    pass: password,
    maxReconnectAttempts: -1,
  });
  nats.subscribe('>', {
    callback: (_error, { subject, headers, data }: Msg) => {
      const named = headers === undefined ? [] : [...headers].flatMap(([name, values]) => [name, ...values]);
      writer.add('messages', [subject, ...named].join(' '));
      writer.add('messages', data);
    },
  });
  await nats.flush();
  return () => nats.close();
}

async function watchRedis(stack: StackUnderTest, writer: Writer): Promise<() => unknown> {
  const { redis_url, redis_cache_url } = stack.dev;
  const stops = await Promise.all(
    [redis_url, redis_cache_url].map((url) =>
      openRedisMonitor(url, (lines) => {
        for (const line of lines) writer.add('redis-commands', unquote(line));
      }),
    ),
  );
  return () => stops.forEach((stop) => stop());
}

/** Decodes Redis's C-style quoting into the original bytes. */
function unquote(line: string): Buffer {
  const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };
  const text = line.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (named[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(text, 'latin1');
}
