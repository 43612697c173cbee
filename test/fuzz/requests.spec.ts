import fc from 'fast-check';
import { GatewayError } from '@gateway/errors';
import type { ChatRequest } from '@gateway/interchange';
import {
  cohere,
  formatNamed,
  gemini,
  JsonDepthError,
  JsonSyntaxError,
  providerFormatNamed,
  scanJson,
  type RequestRoute,
} from '@gateway/wire-formats';
import { anyBytes, mutated, text, type Json } from './arbitraries.ts';
import { fuzz } from './fuzz.ts';
import { requests } from './sample-requests.ts';

const route: RequestRoute = { model: 'p/m', stream: true };
const clientFormats = ['chat-completions', 'messages', 'converse'] as const;
const providerFormats = [...clientFormats, 'gemini', 'cohere'] as const;
const tapeOf = (request: Json) => scanJson(Buffer.from(JSON.stringify(request)), { depthMax: 128 });

/** Returns undefined if the parser rejects the request. Any other error fails the test. */
function unlessRefused<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.definition.status).toBeLessThan(500);
    return undefined;
  }
}

function renderEverywhere(request: ChatRequest): void {
  for (const name of providerFormats) {
    const rendered = unlessRefused(() =>
      providerFormatNamed(name).provider.renderRequest(request, { model: 'm', maxOutputTokensDefault: 100 }),
    );
    if (rendered === undefined) continue;
    expect(typeof rendered.body).toBe('object');
    expect(() => JSON.parse(JSON.stringify(rendered.body)) as unknown).not.toThrow();
  }
}

for (const name of clientFormats) {
  const { client } = formatNamed(name);
  fuzz(
    `a request in the ${name} format is parsed, or rejected as an invalid request`,
    mutated(requests[name] ?? {}),
    (request) => {
      const tape = tapeOf(request);
      const outline = unlessRefused(() => client.outlineRequest(tape, route));
      if (outline === undefined) return;
      unlessRefused(() => client.toolDefinitions(tape, outline.tools));
      const parsed = unlessRefused(() => client.parseRequest(tape, route));
      if (parsed !== undefined) renderEverywhere(parsed);
    },
  );
}

for (const [name, format] of Object.entries({ gemini, cohere })) {
  fuzz(
    `a request in the ${name} format is parsed, or rejected as an invalid request`,
    mutated(requests[name] ?? {}),
    (request) => {
      const parsed = unlessRefused(() => format.parseRequest(tapeOf(request), route));
      if (parsed !== undefined) renderEverywhere(parsed);
    },
  );
}

describe('JSON', () => {
  const almost = fc.oneof(
    anyBytes,
    fc
      .array(fc.oneof(text, fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '1', '-', 'e', 'null', '\\u')))
      .map((parts) => Buffer.from(parts.join(''))),
  );

  fuzz(
    'the gateway’s parser accepts exactly the bytes that a standard JSON parser accepts',
    almost,
    (bytes) => {
      let isOurs = true;
      try {
        scanJson(bytes, { depthMax: 1000 });
      } catch (error) {
        expect(error instanceof JsonSyntaxError || error instanceof JsonDepthError).toBe(true);
        isOurs = false;
      }
      let isStandard = true;
      try {
        JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
      } catch {
        isStandard = false;
      }
      expect(isOurs).toBe(isStandard);
    },
  );
});
