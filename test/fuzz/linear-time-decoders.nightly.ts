/**
 * Tests that decoding small chunks, editing requests, counting tokens, reading tool definitions and
 * compressing valid JSON take linear time.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applyEdits,
  EventStreamDecoder,
  formatNamed,
  providerFormatNamed,
  scanJson,
  SseDecoder,
} from '@gateway/wire-formats';
import { ConversationCompressor } from '../../apps/compressor/src/compress-blocks/conversation.ts';
import { compressDefinition } from '../../apps/compressor/src/compress-schemas/compress-schemas.ts';
import { countTokens } from '../../apps/compressor/src/text/count-tokens.ts';
import { cutExactly } from '../../apps/compressor/src/text/cut-text.ts';
import { ByteList } from '../../apps/edge-gateway/src/bytes/byte-list.ts';
import {
  BinaryFrameGate,
  splitSseFrames,
  SseFrameGate,
} from '../../apps/edge-gateway/src/pipeline/stages/relay/frame-gate.ts';
import { JsonModelScanner } from '../../apps/edge-gateway/src/proxy/json-model-scanner.ts';
import { MemberFilter } from '../../apps/edge-gateway/src/proxy/member-filter.ts';
import { MultipartModelScanner } from '../../apps/edge-gateway/src/proxy/multipart-model-scanner.ts';
import { UsageReader } from '../../apps/edge-gateway/src/proxy/usage-reader.ts';
import { foldKey } from '../../apps/edge-gateway/src/tool-lists/tool-members.ts';
import { spellType } from '../../apps/edge-gateway/src/tool-lists/read-tool.ts';
import { AnswerBody, readWhole } from '../../apps/edge-gateway/src/upstream/answer-body.ts';
import {
  sentenceFiles,
  writeFolder,
} from '../../apps/tool-router/src/inference-threads/small-models.fixture.ts';
import { TextTokens } from '../../apps/tool-router/src/inference/text-tokens.ts';
import { splitTokens } from '../../apps/tool-router/src/tool-index/tokens.ts';
import { cpuMsMax, hostileChars, leastCpuMs } from './cpu-time.ts';
import { hostileTexts } from './hostile/texts.ts';

function expectLinear(what: string, run: () => unknown, msMax = cpuMsMax): void {
  const ms = leastCpuMs(() => {
    try {
      run();
    } catch {
      // Rejecting the input is a valid outcome.
    }
  }, msMax);
  const took = ms <= msMax ? `${what}: within the limit` : `${what}: ${ms.toFixed(0)} ms`;
  expect(took).toBe(`${what}: within the limit`);
}

/**
 * Checks that a function takes linear time. With quadratic time, an input of eight times the size takes 64
 * times as long.
 */
function expectNoQuadraticTime(what: string, open: (units: number) => () => unknown): void {
  const measure = (units: number, wantedMs: number, tries?: number): number =>
    leastCpuMs(open(units), wantedMs, tries);
  const small = Math.max(4, measure(16_384, 4, 5));
  const large = measure(131_072, 24 * small);
  expect({ what, factor: large <= 24 * small ? 'linear' : large / small }).toEqual({
    what,
    factor: 'linear',
  });
}

const texts = Object.entries(hostileTexts).map(([name, write]) => [name, write(hostileChars)] as const);
const json = (value: unknown): string => JSON.stringify(value);

describe('2 MiB of hostile text take at most 200 ms of processor time', () => {
  test.each(texts)('%s', (_, text) => {
    // Every caller of `splitTokens` limits its text to fewer than 200,000 characters.
    expectLinear('words', () => splitTokens(text.slice(0, 200_000), 200_000));
    expectLinear('field names', () => foldKey(text));
    expectLinear('types of tools', () => spellType(text));
    expectLinear('frames of server-sent events', () =>
      splitSseFrames(Buffer.from(text).subarray(0, hostileChars)),
    );
    expectLinear('cuts', () => [...cutExactly(text, 2_000)]);
    const part = text.slice(0, hostileChars / 8);
    const properties = { a: { type: 'string', title: part, description: part } };
    const parameters = { type: 'object', properties };
    const definition = json({ type: 'function', function: { name: 'f', description: part, parameters } });
    for (const mode of ['lossless', 'balanced'] as const)
      expectLinear(`definitions, ${mode}`, () => compressDefinition(definition, mode));
  });
});

/** A separate thread counts tokens. Counting must take linear time, because a text can be megabytes long. */
test.each(texts)('tokens are counted in linear time: %s', (_, text) => {
  expectNoQuadraticTime('tokens', (chars) => {
    const part = text.slice(0, chars);
    return () => countTokens(part);
  });
});

/** Splits the bytes into chunks that are views of one buffer, like chunks from a socket. */
function cutBytes(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

/** For each decoder under test, a function that feeds chunks to the decoder. */
const decoders: Readonly<Record<string, () => (chunk: Buffer) => unknown>> = {
  'server-sent events': () => {
    const decoder = new SseDecoder({ frameBytesMax: 1e9 });
    return (chunk) => decoder.push(chunk);
  },
  'complete frames': () => {
    const gate = new SseFrameGate(1e9);
    return (chunk) => gate.push(chunk);
  },
  'binary messages': () => {
    const decoder = new EventStreamDecoder();
    return (chunk) => [...decoder.push(chunk)];
  },
  'complete binary frames': () => {
    const gate = new BinaryFrameGate(1e9);
    return (chunk) => gate.push(chunk);
  },
  'the model in JSON': () => {
    const scanner = new JsonModelScanner();
    return (chunk) => scanner.push(chunk);
  },
  'members of JSON': () => {
    const filter = new MemberFilter(['cloud_a'], 'model');
    return (chunk) => filter.push(chunk);
  },
  'usage in events': () => {
    const reader = new UsageReader('text/event-stream', true);
    return (chunk) => reader.push(chunk);
  },
  'usage in JSON': () => {
    const reader = new UsageReader('application/json');
    return (chunk) => reader.push(chunk);
  },
  'chunks of a body': () => {
    const list = new ByteList();
    return (chunk) => list.push(chunk);
  },
  'the model in multipart bodies': () => {
    const scanner = new MultipartModelScanner('multipart/form-data; boundary=b');
    return (chunk) => scanner.push(chunk);
  },
};
const chunkPieces = [
  'data: x\n',
  'data: x\n\n',
  '\n',
  '\r',
  'x',
  '"',
  '{"model',
  '\0\0\0',
  '--b\r\n\r\n',
  '--b',
  '\\',
];

describe('decoders take linear time for single bytes', () => {
  test.each(Object.entries(decoders))('%s', (_, open) => {
    for (const piece of chunkPieces) {
      expectNoQuadraticTime(piece, (bytes) => {
        const chunks = cutBytes(Buffer.from(piece.repeat(Math.ceil(bytes / piece.length))), 1);
        return () => {
          const push = open();
          try {
            for (const chunk of chunks) push(chunk);
          } catch {
            // Rejecting the input is a valid outcome.
          }
        };
      });
    }
  });

  test('a response body that is read after all its chunks have arrived', () => {
    expectNoQuadraticTime('bytes', (bytes) => {
      const chunks = cutBytes(Buffer.alloc(bytes, 'x'), 1);
      return () => {
        const body = new AnswerBody({
          pause: () => undefined,
          resume: () => undefined,
          abort: () => undefined,
        });
        for (const chunk of chunks) body.push(chunk);
        void readWhole(body, 1e9);
        body.end();
      };
    });
  });
});

test('edits take time linear in their number and in the bytes', () => {
  const bytes = Buffer.alloc(hostileChars, 'a');
  for (const replacement of ['', 'b', '\u{1f600}']) {
    const edits = Array.from({ length: hostileChars / 16 }, (_, at) => ({
      ...{ start: at * 16, end: at * 16 + 8, replacement },
    }));
    expectLinear(`edits with "${replacement}"`, () => applyEdits(bytes, edits));
  }
});

test('many small blocks after many names take linear time', () => {
  const names = Array.from({ length: 300 }, (_, at) => `name_${at}`).join(' ');
  const blocks = Array.from({ length: 12_000 }, (_, at) => ({
    ...{
      speaker: 'tool' as const,
      text: `result ${at}: the file was read and nothing else happened there\n`.repeat(2),
    },
    frozen: false,
  }));
  expectLinear(
    'blocks',
    () => {
      const compressor = new ConversationCompressor({
        mode: 'balanced',
        recoverable: true,
        sessionSeed: 's',
      });
      compressor.add({ speaker: 'user', text: names, frozen: true });
      compressor.add({ speaker: 'assistant', text: names, frozen: true });
      for (const block of blocks) compressor.add(block);
    },
    3 * cpuMsMax,
  );
});

test('names of tools that a provider rejects are replaced in linear time', () => {
  const { client } = formatNamed('chat-completions');
  const tools = Array.from({ length: 4_096 }, (_, at) => ({
    ...{ type: 'function', function: { name: `${'tool name! '.repeat(40)}${at}`, parameters: {} } },
  }));
  const bytes = Buffer.from(json({ model: 'm', messages: [{ role: 'user', content: 'a' }], tools }));
  const request = client.parseRequest(scanJson(bytes, { depthMax: 128 }), undefined);
  for (const format of ['messages', 'converse', 'gemini', 'cohere'] as const)
    expectLinear(format, () => providerFormatNamed(format).provider.renderRequest(request, { model: 'm' }));
});

test('a sentence transformer’s tokenizer reads a bounded part of a text', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tokenizer-'));
  try {
    const tokens = await TextTokens.open(
      await writeFolder(join(directory, 'sentence'), sentenceFiles()),
      256,
    );
    const session = { inputNames: ['input_ids', 'attention_mask'] } as never;
    for (const [name, text] of texts) expectLinear(name, () => tokens.feeds(session, text, text));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

describe('valid JSON of 2 MiB takes at most 200 ms of processor time to compress', () => {
  const filling = 'x'.repeat(hostileChars / 2);
  const documents: Readonly<Record<string, string>> = {
    'nested similar objects': `${'{"a":{"v":1},"b":{"v":'.repeat(48)}"${filling}"${'}}'.repeat(48)}`,
    'nested lists': `${'[1,'.repeat(90)}"${filling}"${']'.repeat(90)}`,
    'objects in lists': `${'[{"a":1},{"a":'.repeat(45)}"${filling}"${'}]'.repeat(45)}`,
    'a table': json(Array.from({ length: 17_000 }, (_, id) => ({ id, name: `row ${id}`, isOn: true }))),
    'many columns': json(
      Array.from({ length: 980 }, () =>
        Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`c${at}`, at])),
      ),
    ),
    'an object of objects': json(
      Object.fromEntries(Array.from({ length: 19_000 }, (_, at) => [`k${at}`, { v: at, w: 1 }])),
    ),
    groups: json(Array.from({ length: 17_000 }, (_, at) => [{ v: at }, { v: 2 }])),
    'many groups': json(Array.from({ length: 90_000 }, (_, at) => [{ v: at }, { v: 2 }])),
    'white space': `[${' '.repeat(hostileChars - 100)}1]`,
    'escaped quotes': json(['"'.repeat(hostileChars / 4)]),
  };
  test.each(Object.keys(documents))('%s', (name) => {
    const text = documents[name] ?? '';
    JSON.parse(text);
    expectLinear(name, () => {
      const compressor = new ConversationCompressor({
        mode: 'balanced',
        recoverable: true,
        sessionSeed: 's',
      });
      compressor.add({ speaker: 'tool', text: text.slice(0, 2_000_000), frozen: false });
    });
  });
});
