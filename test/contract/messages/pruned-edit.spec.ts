import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import type { Members } from './meaning.ts';

const format = formatNamed('messages');

/**
 * Removes every second tool from the request, then all tools. Each body must equal the request without the
 * removed tools, with no other difference.
 */
checkEvery(
  'request with tools pruned',
  'messages',
  (recording) => {
    const body = JSON.parse(recording.request()?.toString() ?? '{}') as Members;
    return body.model !== undefined && Array.isArray(body.tools) && body.tools.length > 0;
  },
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const tape = scanJson(bytes, { depthMax: 128 });
    const outline = format.client.outlineRequest(tape);
    const body = JSON.parse(bytes.toString()) as Members & { tools: unknown[] };
    const keepTools = new Set(outline.tools.map(({ index }) => index).filter((index) => index % 2 === 1));
    const halved = format.editRequest({ bytes, tape, outline, keepTools, model: 'other-model' });
    const { tools, tool_choice: choice, ...rest } = body;
    const kept = tools.filter((_, index) => keepTools.has(index));
    const withTools = { tools: kept, ...(choice === undefined ? {} : { tool_choice: choice }) };
    const expected = { ...rest, model: 'other-model', ...(kept.length === 0 ? {} : withTools) };
    expect(JSON.parse(halved.bytes.toString())).toEqual(expected);
    const emptied = format.editRequest({ bytes, tape, outline, keepTools: new Set() });
    expect(JSON.parse(emptied.bytes.toString())).toEqual(rest);
    for (const { range } of outline.messages) {
      expect(Buffer.from(halved.bytes).includes(bytes.subarray(range.start, range.end))).toBe(true);
    }
  },
);
