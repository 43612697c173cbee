import type { DestinationStream } from 'pino';
import { secretRedactor, type SecretRedactor } from './secret-redactor.ts';

export interface LineLogOptions {
  readonly service: string;
  readonly instanceId: string;
  /** Lines have the level info. Nothing is written above that level. */
  readonly level: string;
  readonly destination: DestinationStream;
  readonly redact?: SecretRedactor;
  /** Unix time in milliseconds. */
  readonly now?: () => number;
}

/** Writes repeated lines of one kind. */
export interface LineLog {
  write(fields: Readonly<Record<string, unknown>>): void;
}

const levelsWithInfo = new Set(['trace', 'debug', 'info']);

/**
 * For the one log line per request. The JSON and the redaction are the same as those of `createLogger`. It
 * skips work that costs more than the line itself: merging bindings, looking for errors, serializers.
 */
export function createLineLog(message: string, options: LineLogOptions): LineLog {
  if (!levelsWithInfo.has(options.level)) return { write: () => undefined };
  const { destination, redact: redactor = secretRedactor, now = Date.now } = options;
  const clock = new LineClock();
  const head = `{"level":"info","service":${JSON.stringify(options.service)},"instance_id":${JSON.stringify(options.instanceId)},"time":"`;
  const tail = `,"msg":${JSON.stringify(message)}}\n`;
  return {
    write(fields) {
      const members = JSON.stringify(fields).slice(1, -1);
      const line = `${head}${clock.render(now())}"${members === '' ? '' : ','}${members}${tail}`;
      destination.write(redactor.redact(line));
    },
  };
}

/** Renders RFC 3339 with milliseconds. The part before the milliseconds is rendered once per second. */
class LineClock {
  #second = NaN;
  #text = '';

  render(now: number): string {
    const ms = now % 1_000;
    if (now - ms !== this.#second) {
      this.#second = now - ms;
      this.#text = new Date(now).toISOString().slice(0, -'000Z'.length);
    }
    return `${this.#text}${String(ms).padStart(3, '0')}Z`;
  }
}
