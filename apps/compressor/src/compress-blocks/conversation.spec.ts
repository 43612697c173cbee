import { unchanged, type CompressionSettings, type ContextBlock, type Speaker } from './context-block.ts';
import { ConversationCompressor } from './conversation.ts';

const lossless: CompressionSettings = { mode: 'lossless', recoverable: false, sessionSeed: 'one' };
const block = (speaker: Speaker, text: string, frozen = false): ContextBlock => ({ speaker, text, frozen });

function sent(blocks: readonly ContextBlock[], settings = lossless): (string | null)[] {
  const compressor = new ConversationCompressor(settings);
  return blocks.map((each) => compressor.add(each).text);
}

const file = Array.from({ length: 30 }, (_, at) => `${at + 100}:    total = add(total, price_${at})`);

describe('ConversationCompressor', () => {
  it('refers to lines in a numbered file by their numbers', () => {
    const view = [...file.slice(0, 20), '120:    changed()', ...file.slice(21)].join('\n');
    expect(sent([block('tool', file.join('\n')), block('tool', view)])[1]).toBe(
      '[lines 100-119 as above]\n120:    changed()\n[lines 121-129 as above]',
    );
  });

  it('refers to lines without numbers by quoting the first and last line', () => {
    const text = file.map((line) => line.replace(/^\d+:/, '')).join('\n');
    expect(sent([block('tool', text), block('tool', `now it says\n${text}\nand ends`)])[1]).toBe(
      'now it says\n[30 lines as above, from "total = add(total, price_0)" to "total = add(total, price_29)"]\nand ends',
    );
  });

  it('does not use an ambiguous reference', () => {
    const other = file.with(10, '110:    something else').join('\n');
    const [, , third] = sent([
      block('system', file.join('\n')),
      block('system', other),
      block('tool', `again\n${file.join('\n')}`),
    ]);
    expect(third).toBeNull();
  });

  it('changes code only by inserting references to earlier lines', () => {
    const code = `${file.join('  \n')}  \x1b[0m`;
    expect(sent([block('tool', code)])).toEqual([null]);
  });

  it('leaves protected blocks and blocks with other roles unchanged', () => {
    const json = JSON.stringify({ a: [1, 2, 3, 4, 5, 6, 7, 8] }, null, 8);
    expect(sent([block('tool', json, true), block('assistant', json), block('system', json)])).toEqual([
      null,
      null,
      null,
    ]);
    expect(sent([block('user', json)])).toEqual([null]);
  });

  it('treats a user turn after a command in the text as the output of the command', () => {
    const json = JSON.stringify({ a: [1, 2, 3, 4, 5, 6, 7, 8] }, null, 8);
    const command = 'Let us look.\n```\ncat a.json\n```';
    expect(sent([block('assistant', command), block('user', json)])[1]).toBe('{"a":[1,2,3,4,5,6,7,8]}');
  });

  it('omits text only if the text can be recovered', () => {
    const log = Array.from({ length: 500 }, (_, at) => `10:00:${at} served request ${at} in ${at} ms`).join(
      '\n',
    );
    const balanced = { ...lossless, mode: 'balanced' } as const;
    expect(sent([block('tool', log)], balanced)).toEqual([null]);
    expect(sent([block('tool', log)], { ...balanced, recoverable: true })[0]).toContain('left out: ');
  });

  it('preserves unpaired surrogates and distinguishes strings that differ only in surrogates', () => {
    const balanced = { ...lossless, mode: 'balanced' } as const;
    const rows = Array.from(
      { length: 6 },
      (_, at) => `{"number": ${at}, "name": "cut \ud83d", "state": "open"}`,
    );
    const [json] = sent([block('tool', `[${rows.join(', ')}]`)], balanced);
    expect(json ?? rows[0]).toContain('"cut \ud83d"');
    const prose = 'a text that is long enough to be referred to, when it comes for the second time: ';
    const alike = [block('tool', `${prose}\ud83d`), block('tool', `${prose}\ud83e`)];
    expect(sent(alike)).toEqual([null, null]);
  });

  it('returns short text unchanged', () => {
    expect(new ConversationCompressor(lossless).add(block('tool', ' ok '))).toBe(unchanged);
  });
});
