import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRecordings, mayLackRecordings, skipUnless } from '@gateway/testing';
import { encodeEventStream, EventStreamDecoder, EventStreamError } from '@gateway/wire-formats';

const recordings = findRecordings(process.env['DATA_DIR']);
const folder = recordings === undefined ? undefined : join(recordings, 'eventstream_vectors');
const files =
  folder !== undefined && existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.bin'))
    : [];

const headersOf: Record<string, unknown> = {
  'all_headers.success.bin': {
    'event-type': ['integer', 40_972],
    'content-type': ['string', 'application/json'],
    'bool false': ['boolean', false],
    'bool true': ['boolean', true],
    byte: ['byte', -49],
    'byte buf': ['binary', Buffer.from("I'm a little teapot!")],
    timestamp: ['timestamp', 8_675_309n],
    int16: ['short', 42],
    int64: ['long', 42_424_242n],
    uuid: ['uuid', '01020304-0506-0708-090a-0b0c0d0e0f10'],
  },
  'int32_header.success.bin': { 'event-type': ['integer', 40_972] },
  'payload_one_str_header.success.bin': { 'content-type': ['string', 'application/json'] },
};

describe('frames of the AWS codec', () => {
  describe('event_stream', () => {
    // Only the default recordings must contain the test vectors (`mayLackRecordings`).
    skipUnless(files.length > 0 || !mayLackRecordings(process.env['DATA_DIR']), it)(
      'there are test vectors',
      () => {
        expect(files.length).toBeGreaterThan(0);
      },
    );
    for (const file of files) {
      it(file, () => {
        const bytes = readFileSync(join(folder!, file));
        const decode = () => [...new EventStreamDecoder().push(bytes)];
        if (file.includes('.failure.')) {
          expect(decode).toThrow(EventStreamError);
          return;
        }
        const [message, ...others] = decode();
        expect(others).toEqual([]);
        const headers = [...message!.headers].map(([name, { type, value }]) => [name, [type, value]]);
        expect(Object.fromEntries(headers)).toEqual(headersOf[file] ?? {});
        expect(Buffer.from(message!.payload).toString()).toBe(
          file.startsWith('empty') ? '' : "{'foo':'bar'}",
        );
        expect(encodeEventStream(message!).equals(bytes)).toBe(true);
      });
    }
  });
});
