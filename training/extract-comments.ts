// Makes training/comments.tsv.gz from unpacked packages of typed API clients.
// Each line pairs a documentation comment with the name of the item that follows the comment. Usage:
// `node training/extract-comments.ts DIR...`.
// The packages and their licences are listed in training/README.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const commentCharactersMax = 160;
const commentCharactersMin = 12;
/**
 * Maximum number of field comments from one source file. More comments from the same source file would add
 * little information.
 */
const membersPerFileMax = 120;

const pairs = new Set<string>();
for (const root of process.argv.slice(2)) {
  for (const file of listDeclarations(root)) extractPairs(file);
}
const lines = [...pairs].sort();
writeFileSync(join(import.meta.dirname, 'comments.tsv.gz'), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
console.log(`${lines.length} pairs`);

function listDeclarations(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts') && !path.includes('node_modules'))
    .sort()
    .map((path) => join(root, path));
}

/**
 * Extracts pairs of a comment and a name. A comment precedes a field, a method or an operation. The name of a
 * field, method or operation is prefixed with the name of the preceding interface or class.
 */
function extractPairs(file: string): void {
  const text = readFileSync(file, 'utf8');
  const service = serviceOf(file);
  const pattern =
    /(?:export\s+)?(?:interface|class|namespace)\s+([\w$]+)|(?:\/\*\*([\s\S]{1,20000}?)\*\/|((?:^[ \t]*\/\/ .*\n)+))\s*(?:export\s+|readonly\s+|abstract\s+)*(?:(?:interface|class|type)\s+)?(?:"([^"\n]+)"|([\w$]+))([^\n]*)/gm;
  let owner = '';
  let members = 0;
  for (const match of text.matchAll(pattern)) {
    const [, opened, block, lineComment, quoted, plain, rest = ''] = match;
    if (opened !== undefined) {
      owner = opened.replace(/StandardParameters|Schema\$|Resource\$|Params\$/g, ' ');
      continue;
    }
    const comment = readComment(block ?? lineComment ?? '');
    const operation = /operations\["([^"]+)"\]/.exec(rest)?.[1];
    const name = operation ?? quoted ?? plain ?? '';
    const isMember = operation === undefined && !rest.startsWith('(');
    if (comment === undefined || name.length < 2 || (isMember && (members += 1) > membersPerFileMax))
      continue;
    pairs.add(
      `${isMember ? 'docm' : 'doc'}\t${comment}\t${tidy(`${name} ${operation === undefined ? owner : ''} ${service}`)}`,
    );
  }
}

function serviceOf(file: string): string {
  const name = basename(file, '.d.ts');
  return /^(?:v\d.*|index|types|microsoft-graph|methods)$/.test(name) ? basename(dirname(file)) : name;
}

/**
 * Returns the first sentences of a comment, without markup and tags. Returns undefined if the comment is too
 * short.
 */
function readComment(comment: string): string | undefined {
  const prose = comment
    .replace(/^[ \t]*(?:\*|\/\/) ?/gm, '')
    .replace(/@(?:example|param|returns|deprecated|see|link)[\s\S]*$/, '')
    .replace(/@description/g, ' ')
    .replace(/\{@link\s+\S+\s*([^}]*)\}/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const text = tidy(prose);
  if (text.length < commentCharactersMin) return undefined;
  if (text.length <= commentCharactersMax) return text;
  return text.slice(0, commentCharactersMax).replace(/\s\S*$/, '');
}

function tidy(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}.,'/-]+/gu, ' ')
    .replace(/^[\s.,'/-]+/, '')
    .trim();
}
