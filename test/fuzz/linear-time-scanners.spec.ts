import { redactText, redactValue, SecretSet } from '@gateway/observability';
import { extractFeatures } from '@gateway/model-routing';
import {
  EventStreamDecoder,
  formatNamed,
  parseExactJson,
  providerFormatNamed,
  scanJson,
  SseDecoder,
} from '@gateway/wire-formats';
import { ConversationCompressor } from '../../apps/compressor/src/compress-blocks/conversation.ts';
import { parseReference } from '../../apps/compressor/src/compress-blocks/references/references.ts';
import { endsInCommand, looksLikeCode } from '../../apps/compressor/src/text/classify-text.ts';
import { criticalTerms, isCriticalLine } from '../../apps/compressor/src/text/critical-terms.ts';
import { estimateTextTokens } from '../../apps/compressor/src/text/estimate-tokens.ts';
import { checkArguments } from '../../apps/edge-gateway/src/pipeline/recovery/check-arguments.ts';
import { parseRecoveryToolCall } from '../../apps/edge-gateway/src/pipeline/recovery/recovery-tool.ts';
import {
  splitBinaryFrames,
  SseFrameGate,
} from '../../apps/edge-gateway/src/pipeline/stages/relay/frame-gate.ts';
import { redactErrorBody } from '../../apps/edge-gateway/src/pipeline/stages/relay/redact-errors.ts';
import { JsonModelScanner } from '../../apps/edge-gateway/src/proxy/json-model-scanner.ts';
import { MemberFilter } from '../../apps/edge-gateway/src/proxy/member-filter.ts';
import { MultipartModelScanner } from '../../apps/edge-gateway/src/proxy/multipart-model-scanner.ts';
import { UsageReader } from '../../apps/edge-gateway/src/proxy/usage-reader.ts';
import { readSessionId } from '../../apps/edge-gateway/src/request/session-id.ts';
import { renderHeaderText } from '../../apps/edge-gateway/src/request/http-response.ts';
import { stringFits } from '../../apps/sandbox-provider/src/arguments/schema.ts';
import { estimateTokens } from '../../apps/edge-gateway/src/request/token-estimates.ts';
import { classifyIntent } from '../../apps/tool-router/src/plan-tools/turn-signals.ts';
import { readStageTurn } from '../../apps/tool-router/src/second-stage/stage-turn.ts';
import { makeToolCard } from '../../apps/tool-router/src/tool-index/tool-card.ts';
import { analyzeTool } from '../../apps/worker/src/assess-tools/assessed-tool.ts';
import { scoreDescription } from '../../apps/worker/src/assess-tools/score-description.ts';
import { cpuMsMax, hostileChars, leastCpuMs } from './cpu-time.ts';

/** Texts that have slowed down similar scanners, and the single characters of these texts. */
const pieces = [
  'eyJaaaaaaaa-',
  'eyJaaaaaaaa.',
  'sk-aaaaaa ',
  'bearer \t',
  '"token":"\\"',
  '://a:',
  'a',
  'A',
  '7',
  ' ',
  '\n',
  '\r\n',
  '\\',
  '"',
  '{"a":',
  '[',
  '-',
  'a-',
  'aA',
  'a1',
  '! ',
  ' and ',
  'é',
  '\ud83d\ude00',
  'data: x\n',
  '--b\r\n',
  '[0 lines as above, from "a" to "',
];

const write = (piece: string): string =>
  Buffer.from(piece.repeat(hostileChars / piece.length), 'utf16le').toString('utf16le');
const ignoringErrors = (run: () => unknown): void => {
  try {
    run();
  } catch {
    // Rejecting the input is a valid outcome.
  }
};

const hostileSecrets = new SecretSet();
for (const secret of ['aaaaaaaa', `b${'a'.repeat(8_000)}`, `${'a'.repeat(4_000)}b${'a'.repeat(4_000)}`])
  hostileSecrets.add(secret);
for (let at = 0; at < 500; at += 1) hostileSecrets.add(`${at}-${'a'.repeat(40)}`);

const tool = (description: string) => ({ name: 'get_a', description, parameters: { type: 'object' } });
const definition = (description: string) => ({
  hash: 'h',
  name: 'get_a',
  description,
  parameters: { type: 'object', properties: { a: { type: 'string', description } } },
});

/** Functions that scan text. The test calls each function with a text of 2 MiB. */
const ofTexts: Readonly<Record<string, (text: string) => unknown>> = {
  'credential forms': (text) => redactText(text, undefined),
  'an account’s credentials, including hostile credentials': (text) => redactText(text, hostileSecrets),
  'log values': (text) => redactValue({ error_detail: text }, hostileSecrets),
  // The gateway shortens error bodies to 1 MiB before it redacts them.
  'provider errors': (text) => redactErrorBody(Buffer.from(text.slice(0, 1024 * 1024)), ['aaaaaaaaaaaa']),
  'exact JSON': (text) => parseExactJson(JSON.stringify(text)),
  'recovery calls': (text) => parseRecoveryToolCall(text),
  'call arguments': (text) => checkArguments({ type: 'object' }, text),
  'code detection': looksLikeCode,
  commands: endsInCommand,
  'critical terms': criticalTerms,
  'critical lines': (text) => isCriticalLine(text, new Set(['b'])),
  references: parseReference,
  'token estimates': (text) => estimateTextTokens(text),
  intent: (text) => classifyIntent(text, false),
  turns: (text) => readStageTurn([text], 0),
  complexity: extractFeatures,
  'tool cards': (text) => makeToolCard(definition(text) as never),
  'tool assessments': (text) => scoreDescription(analyzeTool(tool(text) as never), []),
  'header values': renderHeaderText,
  'session ids': (text) => readSessionId({ 'x-svc-session-id': text }),
  'patterns of tools': (text) => stringFits({ pattern: '^(a|a|a|aa)+b$' }, text.slice(0, 24)),
};

/** Functions that scan bytes. The test calls each function with 2 MiB of input. */
const ofBytes: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  JSON: (bytes) => scanJson(bytes, { depthMax: 128 }),
  'the model in JSON': (bytes) => new JsonModelScanner().push(bytes),
  'members of JSON': (bytes) => new MemberFilter(['cloud_a'], 'model').push(bytes),
  'the model in multipart bodies': (bytes) =>
    new MultipartModelScanner('multipart/form-data; boundary=b').push(bytes),
  'usage in JSON': (bytes) => readUsage('application/json', bytes),
  'usage in events': (bytes) => readUsage('text/event-stream', bytes),
  'server-sent events': (bytes) => new SseDecoder({ frameBytesMax: 1e9 }).push(bytes),
  'complete frames of server-sent events': (bytes) => new SseFrameGate(1e9).push(bytes),
  'binary frames': (bytes) => splitBinaryFrames(bytes).length,
  'binary messages': (bytes) => [...new EventStreamDecoder().push(bytes)],
};

function readUsage(type: string, bytes: Buffer): unknown {
  const reader = new UsageReader(type, true);
  reader.push(bytes);
  return reader.end();
}

function expectLinear(run: () => unknown, piece: string): void {
  const ms = leastCpuMs(() => {
    ignoringErrors(run);
  }, cpuMsMax);
  expect({ piece, ms: ms <= cpuMsMax ? 'within the limit' : ms }).toEqual({ piece, ms: 'within the limit' });
}

const texts = pieces.map((piece) => [piece, write(piece)] as const);

describe('2 MiB of hostile text take at most 200 ms of processor time', () => {
  test.each(Object.entries(ofTexts))(
    'the text scanner %s takes at most 200 ms for 2 MiB of hostile text',
    (_name, scan) => {
      for (const [piece, text] of texts) expectLinear(() => scan(text), piece);
    },
  );

  test.each(Object.entries(ofBytes))(
    'the byte scanner %s takes at most 200 ms for 2 MiB of hostile text',
    (_name, scan) => {
      for (const [piece, text] of texts) {
        const bytes = Buffer.from(text).subarray(0, hostileChars);
        expectLinear(() => scan(bytes), piece);
      }
    },
  );
});

describe('2 MiB of hostile messages take at most 200 ms of processor time', () => {
  test.each(['lossless', 'balanced'] as const)(
    'compressing a hostile message of 2 MiB takes at most 200 ms, %s',
    (mode) => {
      for (const [piece, text] of texts)
        expectLinear(() => {
          const compressor = new ConversationCompressor({ mode, recoverable: true, sessionSeed: 's' });
          compressor.add({ speaker: 'tool', text, frozen: false });
        }, piece);
    },
  );

  test.each(['chat-completions', 'messages', 'converse'] as const)(
    'outlining and parsing a hostile message of 2 MiB takes at most 200 ms, %s',
    (name) => {
      const { client } = formatNamed(name);
      for (const [piece, text] of texts) {
        const content = name === 'converse' ? [{ text }] : text;
        const bytes = Buffer.from(
          JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content }] }),
        );
        const route = { model: 'p/m', stream: true };
        const tape = scanJson(bytes, { depthMax: 128 });
        expectLinear(() => estimateTokens(tape), piece);
        expectLinear(() => client.outlineRequest(tape, route), piece);
        expectLinear(() => client.parseRequest(tape, route), piece);
      }
    },
  );

  test.each(['chat-completions', 'messages', 'converse', 'gemini', 'cohere'] as const)(
    'parsing a hostile provider error of 2 MiB takes at most 200 ms, %s',
    (name) => {
      const { provider } = providerFormatNamed(name);
      for (const [piece, text] of texts) expectLinear(() => provider.parseError(400, text, {}), piece);
    },
  );
});
