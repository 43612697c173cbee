import type { ClientFormat } from '@gateway/interchange';
import { applyEdits, formatNamed, scanJson } from '@gateway/wire-formats';
import { KnownBodies } from '../../../request/known-messages.ts';
import { PromptHasher } from './prompt-hasher.ts';

const hasher = new PromptHasher();

function hash(body: object, format: ClientFormat = 'messages', owner = 'account') {
  const bytes = Buffer.from(JSON.stringify(body));
  const outline = formatNamed(format).client.outlineRequest(scanJson(bytes, { depthMax: 128 }), {
    ...{ model: 'm', stream: false },
  });
  return hasher.hashPrompt(owner, outline, bytes);
}

const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object' }, ...more });
const mark = { cache_control: { type: 'ephemeral' } };
const user = (text: string) => ({ role: 'user', content: text });
const model = (text: string) => ({ role: 'assistant', content: text });
const plain = { model: 'm', max_tokens: 1, system: 'Be kind.', tools: [tool('a'), tool('b')] };
const opening = { ...plain, messages: [user('one')] };
const later = { ...plain, messages: [user('one'), model('two'), user('three')] };

it('finds the previous request of a conversation in the next request', () => {
  const [first, second] = [hash(opening), hash(later)];
  expect(first).toMatchObject({ before: [], here: first.opening });
  expect(second).toMatchObject({
    ...first,
    before: [first.here],
    here: expect.not.stringMatching(first.here) as string,
  });
  const turns = Array.from({ length: 12 }, (_, at) => [model(`m${at}`), user(`u${at}`)]).flat();
  const long = hash({ ...plain, messages: [user('one'), ...turns] });
  expect(long.before).toHaveLength(8);
  expect(long.before[0]).toBe(hash({ ...plain, messages: [user('one'), ...turns.slice(0, -2)] }).here);
});

it('distinguishes changes of tools, of the order of tools, of the instructions and of messages', () => {
  const first = hash(later);
  const change = (body: object) => {
    const changed = hash({ ...later, ...body });
    return Object.keys(first).filter((part) => {
      const [one, other] = [first, changed].map((each) => JSON.stringify(each[part as keyof typeof each]));
      return one !== other;
    });
  };
  expect(change({})).toEqual([]);
  expect(change({ tools: [tool('b'), tool('a')] })).toEqual(['tools']);
  expect(change({ tools: [tool('a')] })).toEqual(['tools', 'toolSet']);
  expect(change({ tools: [] })).toEqual(['tools', 'toolSet']);
  expect(change({ system: 'Be brief.' })).toEqual(['system']);
  expect(change({ messages: [user('one'), model('two!'), user('three')] })).toEqual(['here']);
  expect(change({ messages: [user('0ne'), model('two'), user('three')] })).toEqual([
    'opening',
    'before',
    'here',
  ]);
});

it('ignores cache markers, regardless of where the client places them', () => {
  const block = { type: 'text', text: 'one', ...mark };
  const marked = { ...later, tools: [tool('a'), tool('b', mark)], messages: [...later.messages] };
  marked.messages[0] = { role: 'user', content: [block] as never };
  expect(hash({ ...marked, system: [{ type: 'text', text: 'Be kind.', ...mark }] })).toEqual(hash(later));
  const [head, ...rest] = Object.entries(tool('b'));
  const inside = Object.fromEntries([head!, ...Object.entries(mark), ...rest]);
  const first = { ...later, tools: [{ ...mark, ...tool('a') }, inside] };
  expect(hash(first)).toEqual(hash(later));
});

it('reads the instructions of a chat completion from its first messages', () => {
  const system = { role: 'system', content: 'Be kind.' };
  const of = (messages: readonly object[]) => hash({ model: 'm', messages }, 'chat-completions');
  const [first, other] = [of([system, user('one')]), of([{ ...system, content: 'Be brief.' }, user('one')])];
  expect(other).toMatchObject({ opening: first.opening, here: first.here });
  expect(other.system).not.toBe(first.system);
});

it('reads cache points in the converse format as cache markers', () => {
  const of = (point: readonly object[]) =>
    hash(
      {
        ...{
          system: [{ text: 'Be kind.' }, ...point],
          messages: [{ role: 'user', content: [{ text: 'one' }, ...point] }],
        },
        toolConfig: {
          tools: [{ toolSpec: { name: 'a', inputSchema: { json: { type: 'object' } } } }, ...point],
        },
      },
      'converse',
    );
  expect(of([{ cachePoint: { type: 'default' } }])).toEqual(of([]));
});

it('has different hashes for different accounts', () => {
  const [one, other] = [hash(later), hash(later, 'messages', 'other')];
  const shared = Object.values(one)
    .flat()
    .filter((each) => Object.values(other).flat().includes(each));
  expect(shared).toEqual([]);
});

it('detects a change at either end or in the length of a long text', () => {
  const of = (text: string) => hash({ ...plain, messages: [user(text)] }).here;
  const long = 'x'.repeat(200_000);
  const others = [`y${long.slice(1)}`, `${long.slice(1)}y`, `${long}x`].map(of);
  expect(new Set([of(long), ...others]).size).toBe(4);
});

describe('hashEdited', () => {
  const chatTool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
  const call = { id: 'c1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'long result' };
  const bodies: Record<string, readonly [ClientFormat, object]> = {
    messages: ['messages', { ...later, system: 'Be kind.' }],
    'chat-completions': [
      'chat-completions',
      {
        ...{ model: 'm', tools: [chatTool('a'), chatTool('b')] },
        messages: [
          { role: 'system', content: 'Be kind.' },
          user('one'),
          { ...model('two'), tool_calls: [call] },
          result,
        ],
      },
    ],
    converse: [
      'converse',
      {
        system: [{ text: 'Be kind.' }],
        messages: [
          { role: 'user', content: [{ text: 'one' }] },
          { role: 'assistant', content: [{ text: 'two' }] },
          { role: 'user', content: [{ text: 'three' }] },
        ],
        toolConfig: {
          tools: ['a', 'b'].map((name) => ({ toolSpec: { name, inputSchema: { json: {} } } })),
        },
      },
    ],
    responses: [
      'responses',
      {
        ...{ model: 'm', instructions: 'Be kind.' },
        tools: ['a', 'b'].map((name) => ({ type: 'function', name, parameters: {} })),
        input: [
          user('one'),
          { type: 'message', ...model('two') },
          { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'long result' },
        ],
      },
    ],
    'responses with one text': ['responses', { model: 'm', tools: [], input: 'one' }],
  };
  const route = { model: 'm', stream: false };

  function hashBoth([format, body]: readonly [ClientFormat, object], changed: (text: string) => boolean) {
    const bytes = Buffer.from(JSON.stringify(body));
    const tape = scanJson(bytes, { depthMax: 128 });
    const readOutline = (edited: Buffer) =>
      formatNamed(format).client.outlineRequest(scanJson(edited, { depthMax: 128 }), route);
    const outline = readOutline(bytes);
    const contextEdits = outline.messages
      .flatMap((message) => message.textRanges())
      .filter(({ start, end }) => changed(bytes.toString('utf8', start, end)))
      .map((range) => ({ ...range, replacement: '"shört"' }));
    const asked = { bytes, tape, outline, model: 'other-model', keepTools: new Set([1]), contextEdits };
    const { edits } = formatNamed(format).editRequest({ ...asked, schemaEdits: new Map(), addMessages: [] });
    const whole = applyEdits(bytes, edits);
    let scanned = 0;
    const count = (edited: Buffer) => {
      scanned = Math.max(scanned, edited.length);
      return readOutline(edited);
    };
    return {
      edited: hasher.hashEdited('account', { outline, bytes, edits, readOutline: count }),
      expected: hasher.hashPrompt('account', readOutline(whole), whole),
      isWholeScanned: scanned >= whole.length,
    };
  }

  it.each(Object.entries(bodies))(
    'hashes the edited request without scanning its messages (%s)',
    (_, body) => {
      for (const changed of [() => false, (text: string) => text.includes('long'), () => true]) {
        const { edited, expected, isWholeScanned } = hashBoth(body, changed);
        expect(edited).toEqual(expected);
        expect(isWholeScanned).toBe(false);
      }
    },
  );

  it('scans the whole request if an edit changes more than the text of a message', () => {
    const [, body] = bodies['chat-completions']!;
    const bytes = Buffer.from(JSON.stringify(body));
    const readOutline = (edited: Buffer) =>
      formatNamed('chat-completions').client.outlineRequest(scanJson(edited, { depthMax: 128 }), undefined);
    const start = bytes.indexOf('"a","arguments"');
    const edits = [{ start, end: start + 3, replacement: '"b"' }];
    const whole = applyEdits(bytes, edits);
    const outline = readOutline(bytes);
    expect(hasher.hashEdited('account', { outline, bytes, edits, readOutline })).toEqual(
      hasher.hashPrompt('account', readOutline(whole), whole),
    );
  });
});

describe('a growing conversation', () => {
  const long = (text: string) => `${text} ${'word "quoted" é\n'.repeat(300)}`;
  const turns = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => [
      user(long(`question ${from + at}`)),
      model(long(`answer ${from + at}`)),
    ]).flat();

  /** Reads a body like the gateway, and returns its hashes with and without the results of earlier bodies. */
  function hashBoth(bodies: KnownBodies, messages: readonly { role: string; content: string }[]) {
    const bytes = Buffer.from(JSON.stringify({ ...plain, messages }));
    const compared = bodies.compare('account', 'messages', bytes);
    const tape = scanJson(bytes, { depthMax: 128 });
    const outline = formatNamed('messages').client.outlineRequest(tape, { model: 'm', stream: false });
    const known = bodies.remember(compared, tape, outline.messages);
    const begun = known.begunHashes().map(({ count }) => count);
    const both = [
      hasher.hashPrompt('account', outline, bytes, known),
      hasher.hashPrompt('account', outline, bytes),
    ];
    const { messages: outlines } = outline;
    const edits = outlines.slice(-3).flatMap(({ index }) => {
      const [range] = outlines[index]?.textRanges() ?? [];
      return range === undefined ? [] : [{ ...range, replacement: '"short"' }];
    });
    const readOutline = (edited: Buffer) =>
      formatNamed('messages').client.outlineRequest(scanJson(edited, { depthMax: 128 }), undefined);
    const sent = { outline, bytes, edits, readOutline };
    const edited = [hasher.hashEdited('account', { ...sent, known }), hasher.hashEdited('account', sent)];
    return { begun, both, edited };
  }

  it('has the same hashes with and without the hashes of earlier requests', () => {
    const bodies = new KnownBodies();
    const histories = [
      turns(40),
      turns(40),
      turns(41),
      [...turns(38), user('other'), ...turns(9, 100)],
      turns(60),
      turns(38),
      [...turns(30), user('other')],
      turns(100),
      turns(96),
      [model('first'), ...turns(70)],
      [model('first'), ...turns(72)],
    ];
    const begun = histories.map((messages) => {
      const found = hashBoth(bodies, messages);
      expect(found.both[0]).toEqual(found.both[1]);
      expect(found.edited[0]).toEqual(found.edited[1]);
      return found.begun.length;
    });
    expect(begun).toEqual([0, 2, 2, 2, 1, 1, 1, 2, 1, 0, 2]);
  });
});
