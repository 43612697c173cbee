import type { StreamEvent } from '@gateway/interchange';
import type { WireFormat } from '@gateway/wire-formats';

/**
 * Checks that the parser reports a truncated stream as incomplete or invalid. Cuts the stream at every length
 * below `wholeAt`. A stream with `wholeAt` bytes is complete.
 */
export function expectTruncated({ provider }: WireFormat, bytes: Buffer, wholeAt: number): void {
  for (let length = 0; length < wholeAt; length += 1) {
    const parser = provider.openStreamParser();
    const events: StreamEvent[] = [];
    try {
      events.push(...parser.push(bytes.subarray(0, length)));
      events.push(...parser.end());
    } catch (error) {
      expect(error).toMatchObject({ code: 'upstream_invalid' });
    }
    if (events.some(({ type }) => type === 'message-end'))
      throw new Error(`the parser reported success after ${length} bytes`);
  }
}
