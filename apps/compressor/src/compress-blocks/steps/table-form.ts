import type { JsonNode, JsonTape } from '@gateway/wire-formats';
import { estimateTextTokens } from '../estimate-text-tokens.ts';
import { absent, nameColumn, readRows, type Row, type RowSet } from './table-rows.ts';

/** A table is harder to read than plain members: it has to be shorter by this much. */
const shareMax = 0.92;

/**
 * JSON with lists of like objects written as tables, where that is shorter: the names of the members once, then a list of
 * values an object.
 *
 *     [{"id":1,"size":{"w":2,"h":3},"on":true},{"id":4,"size":{"w":5,"h":6},"on":true}]
 *     {"all":{"on":true},"columns":["id","size.w","size.h"],"rows":[[1,2,3],[4,5,6]]}
 *
 * Members that are the same in all objects stand in `all`. Lists of lists of like objects have `groups` of rows, and an
 * object of like objects a first column `(name)`. Values stay as they are written. Says the same as the original, but for
 * the order of members; `expandTables` is the way back.
 */
export function renderTables(tape: JsonTape): string {
  return new TableRenderer(tape).render(tape.root);
}

/** An escape that stands for a letter of these words, or for the dot between names. */
const escapedLetter = /\\u(?:2205|00(?:2[89e]|6[135cdef]|7[35]))/i;

/** A text with these words in it could be read as a table of ours, and is left alone. */
export function mayHoldTables(text: string): boolean {
  return (
    text.includes('"columns"') ||
    text.includes(absent) ||
    text.includes(nameColumn) ||
    (text.includes('\\u') && escapedLetter.test(text))
  );
}

class TableRenderer {
  readonly #tape: JsonTape;
  /** A node is wanted for a table and for what stands in its place: without these, twice as often a level further down. */
  readonly #rendered = new Map<JsonNode, string>();
  readonly #done: JsonNode[] = [];

  constructor(tape: JsonTape) {
    this.#tape = tape;
  }

  render(node: JsonNode): string {
    const tape = this.#tape;
    const kind = tape.kind(node);
    if (kind !== 'object' && kind !== 'array') return tape.text(node);
    const known = this.#rendered.get(node);
    if (known !== undefined) return known;
    const before = this.#done.length;
    const rendered = this.#renderBranch(node);
    // What is inside it is wanted no more.
    for (const inner of this.#done.splice(before)) this.#rendered.delete(inner);
    this.#rendered.set(node, rendered);
    this.#done.push(node);
    return rendered;
  }

  #renderBranch(node: JsonNode): string {
    const set = readRows(this.#tape, node);
    const table = set && this.#renderTable(set);
    const plain = this.#renderPlain(node);
    if (table === undefined) return plain;
    return estimateTextTokens(table) < shareMax * estimateTextTokens(plain) ? table : plain;
  }

  #renderPlain(node: JsonNode): string {
    const tape = this.#tape;
    if (tape.kind(node) === 'array') {
      return `[${tape
        .items(node)
        .map((item) => this.render(item))
        .join(',')}]`;
    }
    const members = tape.entries(node).map(({ key, value }) => `${tape.text(key)}:${this.render(value)}`);
    return `{${members.join(',')}}`;
  }

  #renderTable({ shape, columns, groups, rows }: RowSet): string {
    const cells = new Map<Row, string[]>();
    for (const row of rows) {
      cells.set(
        row,
        columns.map((column) => this.#renderCell(row.cells.get(column))),
      );
    }
    const first = cells.get(rows[0] as Row) ?? [];
    const isSame = columns.map(
      (column, at) => column !== nameColumn && rows.every((row) => cells.get(row)?.[at] === first[at]),
    );
    const all = columns.flatMap((column, at) => (isSame[at] ? [`${column}:${first[at] ?? ''}`] : []));
    const renderRow = (row: Row): string =>
      `[${(cells.get(row) ?? []).filter((_, at) => !isSame[at]).join(',')}]`;
    const renderRows = (list: readonly Row[]): string => `[${list.map(renderRow).join(',')}]`;
    const header = all.length === 0 ? '' : `"all":{${all.join(',')}},`;
    const body =
      shape === 'groups' ? `"groups":[${groups.map(renderRows).join(',')}]` : `"rows":${renderRows(rows)}`;
    return `{${header}"columns":[${columns.filter((_, at) => !isSame[at]).join(',')}],${body}}`;
  }

  #renderCell(cell: JsonNode | string | undefined): string {
    if (cell === undefined) return absent;
    return typeof cell === 'string' ? cell : this.render(cell);
  }
}
