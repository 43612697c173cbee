/** The output format of log lines, which is readable text or the JSON lines that the services write. */
export type LogFormat = 'pretty' | 'json';

/** Colors by log level, as ECMA-48 SGR codes. */
const levelColours: Readonly<Record<string, number>> = {
  warn: 33,
  error: 31,
  fatal: 31,
  debug: 90,
  trace: 90,
};
/** Fields of a JSON log line that a readable line shows at its start, or omits because they are redundant. */
const shown = new Set(['level', 'time', 'msg', 'service', 'instance_id']);

/**
 * Returns the log format that LOG_FORMAT selects. Without LOG_FORMAT, a terminal receives readable text, and
 * a file or another program receives JSON. Throws if LOG_FORMAT has an unknown value.
 */
export function chooseLogFormat(wanted: string | undefined, isTerminal: boolean): LogFormat {
  if (wanted === undefined || wanted === '') return isTerminal ? 'pretty' : 'json';
  if (wanted === 'pretty' || wanted === 'json') return wanted;
  throw new Error(`LOG_FORMAT is ${JSON.stringify(wanted)}. Use pretty or json.`);
}

/** Colors are used only in a terminal, and only if NO_COLOR is not set (no-color.org). */
export function hasColours(out: { readonly isTTY?: boolean }): boolean {
  return out.isTTY === true && !process.env['NO_COLOR'];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function renderValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/**
 * Renders one JSON log line as `TIME LEVEL MESSAGE name=value …`. Text that is not a JSON object, such as the
 * log of a database, is returned unchanged.
 */
export function renderPrettyLine(line: string, colours: boolean): string {
  const record = parseRecord(line);
  if (record === null) return line;
  const [level = '', timestamp = '', message = ''] = ['level', 'time', 'msg'].map((name) =>
    textOf(record[name]),
  );
  const time = timestamp.replace(/^.*T|Z$/g, '');
  const colour = colours ? levelColours[level] : undefined;
  const label = level.toUpperCase().padEnd(5);
  const fields = Object.entries(record)
    .filter(([name]) => !shown.has(name))
    .map(([name, value]) => `${name}=${renderValue(value)}`);
  const head = colour === undefined ? label : `\u001b[${colour}m${label}\u001b[0m`;
  return [time, head, message, ...fields].filter((part) => part !== '').join(' ');
}

function parseRecord(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}
