import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorRegistry, type ErrorCode } from '@gateway/errors';

const page = readFileSync(join(import.meta.dirname, '../../docs/operations/failure-modes.md'), 'utf8');
const [, codesPart = '', dependenciesPart = ''] = page.split(/^## (?:Error codes|Dependencies)$/m);
const sections = (part: string): Map<string, string> =>
  new Map(
    part
      .split(/^### /m)
      .slice(1)
      .map((section) => {
        const [title = '', ...body] = section.split('\n');
        return [title.trim(), body.join('\n')];
      }),
  );
const codes = sections(codesPart);
const dependencies = sections(dependenciesPart);

describe('docs/operations/failure-modes.md', () => {
  test('the page of failure modes has an entry for every error code, and no other entries', () => {
    expect([...codes.keys()].map((title) => title.replaceAll('`', ''))).toEqual(Object.keys(errorRegistry));
  });

  test.each(Object.keys(errorRegistry) as ErrorCode[])(
    'the entry of %s documents the effect on caller and operator, what to do, and the status in the registry',
    (code) => {
      const body = codes.get(`\`${code}\``) ?? '';
      const { status, type } = errorRegistry[code];
      expect(body).toContain(`**${String(status)}** \`${type}\``);
      for (const part of ['Caller', 'Operator', 'Do'])
        expect(body).toMatch(new RegExp(`^- \\*\\*${part}\\*\\*: \\S`, 'm'));
    },
  );

  test('the page of failure modes has an entry for every dependency', () => {
    expect([...dependencies.keys()]).toEqual([
      'Postgres',
      'Redis (queue)',
      'Redis (cache)',
      'NATS',
      'tool-router',
      'compressor',
      'account',
      'provider-vault',
      'worker',
      'billing',
      'Stripe',
      'edge-gateway',
      'A provider',
      'The disk of the spool',
    ]);
    for (const body of dependencies.values()) {
      for (const part of ['Caller', 'Operator', 'Do'])
        expect(body).toMatch(new RegExp(`^- \\*\\*${part}\\*\\*: \\S`, 'm'));
    }
  });
});
