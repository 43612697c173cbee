import { compressDefinition } from '../compress-schemas.ts';
import { compressedText } from '../compressed-text.fixture.ts';

const tool = (description: string, of = 'A path.') =>
  JSON.stringify({
    type: 'function',
    function: {
      name: 'read',
      description,
      parameters: { type: 'object', properties: { path: { type: 'string', description: of } } },
    },
  });
const descriptionIn = (text: string): string =>
  (JSON.parse(text) as { function: { description: string } }).function.description;
const filler = ' It has been made with much care by people who like what they do'.repeat(6);

describe('long descriptions', () => {
  const long = [
    'Reads a file.',
    `Somebody wrote this.${filler}.`,
    'The path must be absolute.',
    `For example, think of a book.${filler}.`,
    'Returns "" for an empty file.',
    `Last words.${filler}.`,
  ].join(' ');

  it('keep their first sentences and the rules about arguments', () => {
    const left = descriptionIn(compressedText(tool(long), 'balanced'));
    expect(left).toContain('Reads a file.');
    expect(left).toContain('The path must be absolute. ');
    expect(left).toContain('Returns "" for an empty file.');
    expect(left).not.toContain('think of a book');
    expect(left.length).toBeLessThan(long.length * 0.7);
  });

  it('stay complete within the token budget and in `lossless` mode', () => {
    const short = 'Reads a file. Somebody wrote this. For example, think of a book.';
    expect(descriptionIn(compressedText(tool(short), 'balanced'))).toBe(short);
    expect(descriptionIn(compressedText(tool(long), 'lossless'))).toBe(long);
  });

  it('lose only whole sentences or lines', () => {
    const lines = `Reads.\n\nArgs:\nSomething of interest${filler}\nThe limit is 5\n${filler}${filler}\n${filler}`;
    const left = descriptionIn(compressedText(tool(lines), 'balanced'));
    expect(left).toMatch(/^Reads\./);
    for (const line of left.split('\n')) expect(lines.split('\n')).toContain(line);
    expect(left).toContain('\nThe limit is 5');
  });

  it('report the compression step that shortened them', () => {
    const steps = compressDefinition(tool(long), 'balanced').steps.map(({ step }) => step);
    expect(steps.at(-1)).toBe('long_descriptions');
  });

  it('are processed in linear time despite long whitespace before a sentence', () => {
    const before = process.cpuUsage();
    const blanks = `${long} The end.${' '.repeat(60_000)}Really.`;
    expect(descriptionIn(compressedText(tool(blanks), 'balanced'))).toContain('The path must be absolute.');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
