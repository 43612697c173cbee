import type { MessageOutline } from '@gateway/interchange';
import { formatNamed, scanJson, type JsonTape } from '@gateway/wire-formats';
import fc from 'fast-check';
import { KnownBodies, type KnownMessages } from './known-messages.ts';

const limits = { depthMax: 128 };
const kibibyte = 1024;

interface Read {
  readonly known: KnownMessages;
  readonly messages: readonly MessageOutline[];
  /** Offset at which the scan started. */
  readonly from: number;
  /** Indexes of the messages that were read again. */
  readonly shortened: readonly number[];
}

/** The positions of all values and keys on a tape. */
const positionsOf = (tape: JsonTape) =>
  Array.from({ length: tape.after(tape.root) }, (_, node) => [
    tape.start(node),
    tape.end(node),
    tape.after(node),
  ]);

/** Reads a body like the gateway, and checks that the positions equal those of a complete scan. */
function read(bodies: KnownBodies, body: unknown, owner = 'account', format = 'messages' as const): Read {
  const bytes = Buffer.from(JSON.stringify(body));
  const compared = bodies.compare(owner, format, bytes);
  const tape = scanJson(bytes, limits, compared.earlier?.point);
  expect(positionsOf(tape)).toEqual(positionsOf(scanJson(bytes, limits)));
  const { messages } = formatNamed(format).client.outlineRequest(tape, undefined);
  const known = bodies.remember(compared, tape, messages);
  const shortened: number[] = [];
  for (const message of messages) {
    const text = known.shortText(message.index, () => {
      shortened.push(message.index);
      return message.text().slice(0, 10);
    });
    expect(text).toBe(message.text().slice(0, 10));
  }
  return { known, messages, from: compared.earlier?.point?.at ?? 0, shortened };
}

/** Reads a body without checks, and returns the offset at which the scan started. */
function remember(bodies: KnownBodies, owner: string, body: unknown): number {
  const bytes = Buffer.from(JSON.stringify(body));
  const compared = bodies.compare(owner, 'messages', bytes);
  const tape = scanJson(bytes, limits, compared.earlier?.point);
  bodies.remember(compared, tape, formatNamed('messages').client.outlineRequest(tape, undefined).messages);
  return compared.earlier?.point?.at ?? 0;
}

function conversation(turns: number, of = (turn: number) => `${turn} ${'word "quoted"\n'.repeat(3_000)}`) {
  return Array.from({ length: turns }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: of(turn),
  }));
}

describe('KnownBodies', () => {
  it('scans and shortens only the end of a growing conversation', () => {
    const bodies = new KnownBodies();
    expect(read(bodies, { model: 'm', messages: conversation(21) })).toMatchObject({ from: 0 });
    const { from, shortened } = read(bodies, { model: 'm', messages: conversation(23), stream: true });
    expect(from).toBeGreaterThan(700 * kibibyte);
    expect(shortened.length).toBeLessThan(6);
    expect(shortened).toContain(22);
  });

  it('recognizes no body of another account or in another format, and no body with another start', () => {
    const bodies = new KnownBodies();
    const messages = conversation(12);
    read(bodies, { model: 'm', messages });
    expect(read(bodies, { model: 'm', messages }).from).toBeGreaterThan(0);
    expect(read(bodies, { model: 'm', messages }, 'other').from).toBe(0);
    expect(read(bodies, { model: 'n', messages }).from).toBe(0);
    const bytes = Buffer.from(JSON.stringify({ model: 'm', messages }));
    expect(bodies.compare('account', 'messages', bytes).earlier).toBeDefined();
    expect(bodies.compare('account', 'converse', bytes).earlier).toBeUndefined();
    expect(new KnownBodies().compare('account', 'messages', bytes).earlier).toBeUndefined();
  });

  it('reads all messages again if a second list of messages replaces the first', () => {
    const bodies = new KnownBodies();
    const first = JSON.stringify(conversation(12));
    const bodyOf = (rest: string) => Buffer.from(`{"model":"m","messages":${first}${rest}}`);
    for (const rest of ['', `,"messages":${JSON.stringify(conversation(3, (turn) => `other ${turn}`))}`]) {
      const bytes = bodyOf(rest);
      const compared = bodies.compare('a', 'messages', bytes);
      const tape = scanJson(bytes, limits, compared.earlier?.point);
      const { messages } = formatNamed('messages').client.outlineRequest(tape, undefined);
      const known = bodies.remember(compared, tape, messages);
      const texts = messages.map((message) => known.shortText(message.index, () => message.text()));
      expect(texts).toEqual(messages.map((message) => message.text()));
    }
  });

  it('keeps hashes only for messages that did not change, and only after the same start', () => {
    const bodies = new KnownBodies();
    const { known, messages } = read(bodies, { model: 'm', messages: conversation(21) });
    const linkTo = (message: number): Buffer => Buffer.alloc(32, message);
    const chain = known.chain('start', (links) => {
      expect(links).toEqual([]);
      for (const { index } of messages) links.push(linkTo(index));
    });
    const later = read(bodies, { model: 'm', messages: [...conversation(20), ...conversation(3)] }).known;
    const knownLinks = (start: string): Buffer[] => {
      let found: Buffer[] = [];
      later.chain(start, (links) => (found = [...links]));
      return found;
    };
    expect(knownLinks('other')).toEqual([]);
    const kept = knownLinks('start');
    expect(kept.length).toBeGreaterThan(12);
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept).toEqual(chain.slice(0, kept.length));
  });

  it('does not remember bodies of many messages or many small values', () => {
    const bodies = new KnownBodies();
    const many = conversation(5_000, (turn) => `${turn} ${'word '.repeat(30)}`);
    const values = conversation(8).map((message) => ({ ...message, more: Array(20_000).fill(1) }));
    for (const messages of [many, values]) {
      remember(bodies, 'account', { model: 'm', messages });
      expect(remember(bodies, 'account', { model: 'm', messages })).toBe(0);
    }
    expect(bodies.bytes).toBe(0);
  });

  it('limits the memory and the number of bodies, and forgets an account’s own oldest bodies first', () => {
    const bodies = new KnownBodies();
    const messages = conversation(200, (turn) => `${turn} ${'word '.repeat(600)}`);
    const readOf = (owner: string, model: string) => remember(bodies, owner, { model, messages });
    readOf('quiet', 'm');
    const own = bodies.bytes;
    for (let at = 0; at < 100; at += 1) readOf('busy', `m${at}`);
    expect(bodies.bytes).toBeGreaterThan(30 * 1024 * kibibyte);
    expect(bodies.bytes).toBeLessThanOrEqual(32 * 1024 * kibibyte + own);
    expect(readOf('busy', 'm99')).toBeGreaterThan(0);
    expect(readOf('busy', 'm0')).toBe(0);
    expect(readOf('quiet', 'm')).toBeGreaterThan(0);
  });

  it('reads changed bodies like new bodies', () => {
    const part = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc
        .tuple(fc.string({ unit: 'binary', maxLength: 5 }), fc.nat({ max: 90 * kibibyte }))
        .map(([text, length]) => `${text}${'é"\\'.repeat(length / 4)}`),
    });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 3, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat({ max: 9 }), part, fc.boolean()), { maxLength: 4 }),
        (messages, changes) => {
          const bodies = new KnownBodies();
          read(bodies, { model: 'm', messages, tools: [{ name: 'a' }] });
          for (const [at, message, isSystem] of changes) {
            messages.splice(at, at % 2, message);
            read(bodies, { model: 'm', messages, ...(isSystem ? { system: message.content } : {}) });
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
