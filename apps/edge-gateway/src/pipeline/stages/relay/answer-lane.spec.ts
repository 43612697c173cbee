import { providerFormatNamed } from '@gateway/wire-formats';
import type { Exchange } from '../../exchange.ts';
import type { Target } from '../../target.ts';
import { openLane } from './answer-lane.ts';
import { StreamReader } from './stream-reader.ts';

const target = { lane: { kind: 'same-format', format: 'messages' }, model: 'm' } as Target;
const exchange = {
  format: 'messages',
  requestId: 'r',
  acceptedAt: new Date(0),
  streamsUsage: false,
} as Exchange;

describe("a stream in the provider's own format", () => {
  it('passes every event on that its reader takes: a document of several megabytes that a server tool fetched', () => {
    const document = { type: 'web_fetch_tool_result', content: { data: 'A'.repeat(7 * 1024 * 1024) } };
    const event = { type: 'content_block_start', index: 0, content_block: document };
    const bytes = Buffer.from(`event: content_block_start\ndata: ${JSON.stringify(event)}\n\n`);
    const reader = new StreamReader(providerFormatNamed('messages'));
    const writer = openLane(target, exchange, null).openStreamWriter();
    const passed: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += 65_536) {
      const chunk = bytes.subarray(at, at + 65_536);
      passed.push(...writer.write(chunk, reader.push(chunk)));
    }
    expect(Buffer.concat(passed).equals(bytes)).toBe(true);
  });
});
