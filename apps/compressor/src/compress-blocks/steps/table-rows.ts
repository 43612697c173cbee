import type { JsonNode, JsonTape } from '@gateway/wire-formats';

/** Stands in a cell whose object does not have that member. */
export const absent = '"∅"';
/** Stands for the name of each object, where the rows were members and not elements. */
export const nameColumn = '"(name)"';

/** An object as a row: by column (a JSON string), the node of the value, or a JSON text. */
export interface Row {
  readonly cells: ReadonlyMap<string, JsonNode | string>;
}

export interface RowSet {
  readonly shape: 'rows' | 'groups';
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly groups: readonly (readonly Row[])[];
}

/** A table with more holes than this is no table. */
const holesShareMax = 0.34;
const columnsMax = 64;

/** The rows of a list of like objects, of a list of such lists, or of an object of like objects. */
export function readRows(tape: JsonTape, node: JsonNode): RowSet | undefined {
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
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  if (rows.length < 2 || columns.length === 0 || columns.length > columnsMax) return undefined;
  const filled = rows.reduce((sum, { cells }) => sum + cells.size, 0);
  const isDense = filled >= (1 - holesShareMax) * rows.length * columns.length;
  return isDense ? { shape, columns, rows, groups: known } : undefined;
}

/** Members of member objects get names with dots. Undefined where names have dots of their own, or come twice. */
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

/** A small object of plain values, to be spread over columns. */
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
