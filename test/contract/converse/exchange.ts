import { formatNamed } from '@gateway/wire-formats';
import type { Recording } from '@gateway/testing';
import { bodyOf } from '../check-every.ts';

export const { client, provider } = formatNamed('converse');

/** The recorded APIs that use the Converse request format. */
export const apis = ['converse', 'converse_stream'] as const;

/** Parses the model and the streaming mode from the URL path of a recorded Converse call. */
export function routeOf({ model, streaming }: Recording): { model: string; stream: boolean } {
  return { model: model ?? 'unknown', stream: streaming };
}

export function isBinary({ response_file: file }: Recording): boolean {
  return file !== null && (file.endsWith('.eventstream') || file.endsWith('.bin'));
}

/** Parses the recorded response and renders it again as a Converse stream. */
export function rerender(recording: Recording): Buffer {
  const parser = provider.openStreamParser();
  const events = [...parser.push(bodyOf(recording, 'response')), ...parser.end()];
  const renderer = client.openStreamRenderer({ id: '', model: '', createdAt: 0, includesUsage: true });
  return Buffer.concat(events.map((event) => Buffer.from(renderer.render(event))));
}
