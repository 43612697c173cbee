import type { JsonNode, JsonTape } from '@gateway/wire-formats';
import { estimateTextTokens } from '../../text/estimate-tokens.ts';

/** A table must save at least 8% of the tokens of the JSON text, because tables are harder to read. */
const shareMax = 0.92;
/**
 * Maximum number of characters for token estimates, as a multiple of the document's length. Each nested
 * part is estimated again at each outer level, so a deep document would take too long without this limit. Lists
 * of similar objects are rarely nested four levels deep.
 */
const estimatedShareMax = 8;

/**
 * Renders lists of similar objects as tables if the table is shorter than the list. A table contains the field
 * names once, and then a list of values per object.
 *
 * [{"id":1,"size":{"w":2,"h":3},"on":true},{"id":4,"size":{"w":5,"h":6},"on":true}]
 * {"all":{"on":true},"columns":["id","size.w","size.h"],"rows":[[1,2,3],[4,5,6]]}
 *
 * The field `all` contains the fields that are the same in all objects. For a list of lists of similar objects,
 * the table has the field `groups` instead of `rows`. For an object of similar objects, the first column
 * `(name)` contains the object's field names. A table keeps the exact text of each value, but not the order of
 * fields. `expandTables` is the inverse function.
 */
export function renderTables(tape: JsonTape): string {
  return new TableRenderer(tape).render(tape.root);
}

/** Matches an escape for a letter in the table keywords, or for the dot between field names. */
const escapedLetter = /\\u(?:2205|00(?:2[89e]|6[135cdef]|7[35]))/i;

/** Whether the text contains table keywords. A text with table keywords is left unchanged, to avoid ambiguity. */
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
  /**
   * A cache of rendered nodes. Each JSON node is rendered twice, as a table and as unchanged JSON. Without the
   * cache, the work would double at every nesting level. Nodes without nested objects or lists are not cached.
   */
  readonly #rendered = new Map<JsonNode, string>();
  readonly #done: JsonNode[] = [];
  #estimatesLeft: number;

  constructor(tape: JsonTape) {
    this.#tape = tape;
    this.#estimatesLeft = estimatedShareMax * tape.text(tape.root).length;
  }

  render(node: JsonNode): string {
    const tape = this.#tape;
    const kind = tape.kind(node);
    if (kind !== 'object' && kind !== 'array') return tape.text(node);
    if (isFlat(tape, node)) return this.#renderPlain(node);
    const known = this.#rendered.get(node);
    if (known !== undefined) return known;
    const before = this.#done.length;
    const rendered = this.#renderBranch(node);
    // After a node is rendered, the cached nodes inside the node are removed, because no later step reads them.
    for (const inner of this.#done.splice(before)) this.#rendered.delete(inner);
    this.#rendered.set(node, rendered);
    this.#done.push(node);
    return rendered;
  }

  #renderBranch(node: JsonNode): string {
    const set = readRows(this.#tape, node);
    // The table must be rendered first, because rendering the rows deletes cached parts that the table needs.
    const table = set && this.#renderTable(set);
    const plain = this.#renderPlain(node);
    if (table === undefined || this.#estimatesLeft <= 0) return plain;
    this.#estimatesLeft -= table.length + plain.length;
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

/** The table cell for a field that is missing from the object. */
export const absent = '"∅"';
/** The table column for the field names of an object that becomes a table. */
export const nameColumn = '"(name)"';

/** An object as a table row. Maps each column name (as a JSON string) to the node or JSON text of the value. */
interface Row {
  readonly cells: ReadonlyMap<string, JsonNode | string>;
}

interface RowSet {
  readonly shape: 'rows' | 'groups';
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly groups: readonly (readonly Row[])[];
}

/** Maximum share of empty cells in a table. */
const holesShareMax = 0.34;
const columnsMax = 64;

/**
 * The table rows for a list of similar objects, a list of lists of similar objects, or an object of similar
 * objects.
 */
function readRows(tape: JsonTape, node: JsonNode): RowSet | undefined {
  const children =
    tape.kind(node) === 'array' ? tape.items(node) : tape.entries(node).map(({ value }) => value);
  if (children.length < 2 || children.length > 100_000) return undefined;
  const kind = tape.kind(children[0] as JsonNode);
  if (children.some((child) => tape.kind(child) !== kind)) return undefined;
  if (kind === 'object') return readObjects(tape, node, children);
  if (kind !== 'array' || tape.kind(node) !== 'array') return undefined;
  const groups = children.map((child) => readGroup(tape, child));
  if (groups.some((group) => group === undefined)) return undefined;
  return rowSetOf('groups', groups);
}

function readObjects(tape: JsonTape, node: JsonNode, children: JsonNode[]): RowSet | undefined {
  if (tape.kind(node) === 'array') return rowSetOf('rows', [readAll(tape, children)]);
  const rows = tape.entries(node).map(({ key, value }) => {
    const row = readRow(tape, value);
    return row && { cells: new Map<string, JsonNode | string>([[nameColumn, tape.text(key)], ...row.cells]) };
  });
  const names = new Set(tape.entries(node).map(({ key }) => tape.text(key)));
  if (names.size < children.length || rows.some((row) => row === undefined)) return undefined;
  return rowSetOf('rows', [rows as Row[]]);
}

function readGroup(tape: JsonTape, node: JsonNode): Row[] | undefined {
  const items = tape.items(node);
  return items.length > 0 && items.every((item) => tape.kind(item) === 'object')
    ? readAll(tape, items)
    : undefined;
}

function readAll(tape: JsonTape, nodes: readonly JsonNode[]): Row[] | undefined {
  const rows = nodes.map((item) => readRow(tape, item));
  return rows.some((row) => row === undefined) ? undefined : (rows as Row[]);
}

function rowSetOf(
  shape: RowSet['shape'],
  groups: readonly (readonly Row[] | undefined)[],
): RowSet | undefined {
  const known = groups.flatMap((group) => (group === undefined ? [] : [group]));
  const rows = known.flat();
  const columns = listColumns(rows);
  if (rows.length < 2 || columns.length === 0 || columns.length > columnsMax) return undefined;
  const filled = rows.reduce((sum, { cells }) => sum + cells.size, 0);
  const isDense = filled >= (1 - holesShareMax) * rows.length * columns.length;
  return isDense ? { shape, columns, rows, groups: known } : undefined;
}

/** The columns of all rows, ordered by first occurrence. Above `columnsMax` columns, the list may be incomplete. */
function listColumns(rows: readonly Row[]): readonly string[] {
  const columns = new Set<string>();
  for (const { cells } of rows) {
    for (const column of cells.keys()) columns.add(column);
    if (columns.size > columnsMax) break;
  }
  return [...columns];
}

/** Whether an object or list contains only scalar values. */
function isFlat(tape: JsonTape, node: JsonNode): boolean {
  const step = tape.kind(node) === 'object' ? 2 : 1;
  const end = tape.after(node);
  for (let child = node + step; child < end; child += step) {
    const kind = tape.kind(child);
    if (kind === 'object' || kind === 'array') return false;
  }
  return true;
}

/**
 * Reads an object as a table row. The fields of nested objects get names that contain dots. Undefined if a
 * name contains a dot or occurs twice.
 */
function readRow(tape: JsonTape, node: JsonNode): Row | undefined {
  const cells = new Map<string, JsonNode>();
  for (const { key, value } of tape.entries(node)) {
    const name = tape.text(key);
    if (name.includes('.') || cells.has(name)) return undefined;
    const inner = tape.kind(value) === 'object' ? readFlat(tape, value) : undefined;
    if (inner === undefined) cells.set(name, value);
    else for (const [part, leaf] of inner) cells.set(`${name.slice(0, -1)}.${part.slice(1)}`, leaf);
  }
  return cells.size === 0 ? undefined : { cells };
}

/** A small object with scalar values. Such an object becomes several table columns. */
function readFlat(tape: JsonTape, node: JsonNode): Map<string, JsonNode> | undefined {
  const leaves = new Map<string, JsonNode>();
  for (const { key, value } of tape.entries(node)) {
    const name = tape.text(key);
    const kind = tape.kind(value);
    if (kind === 'object' || kind === 'array' || name.includes('.') || leaves.has(name)) return undefined;
    leaves.set(name, value);
  }
  return leaves.size === 0 || leaves.size > 8 ? undefined : leaves;
}
