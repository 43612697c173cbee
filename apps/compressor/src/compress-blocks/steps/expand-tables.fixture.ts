import { absent, nameColumn } from './table-form.ts';

type Json = unknown;
type JsonRecord = Record<string, Json>;

const absentCell = JSON.parse(absent) as string;
const nameOf = JSON.parse(nameColumn) as string;

/** Converts JSON in table form back into the original value. This function is the inverse of `renderTables`. */
export function expandTables(value: Json): Json {
  if (Array.isArray(value)) return value.map(expandTables);
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonRecord;
  if (Array.isArray(object['columns'])) return expandTable(object);
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, expandTables(member)]));
}

function expandTable({ all = {}, columns, rows, groups }: JsonRecord): Json {
  const expandRow = (row: Json[]): [string | undefined, JsonRecord] => {
    const cells: [string, Json][] = [
      ...Object.entries(all as JsonRecord),
      ...row.map((cell, at): [string, Json] => [(columns as string[])[at] ?? '', cell]),
    ];
    const name = cells.find(([column]) => column === nameOf)?.[1] as string | undefined;
    return [name, nest(cells.filter(([column, cell]) => column !== nameOf && cell !== absentCell))];
  };
  if (groups !== undefined)
    return (groups as Json[][][]).map((group) => group.map((row) => expandRow(row)[1]));
  const expanded = (rows as Json[][]).map(expandRow);
  const isNamed = (columns as string[]).includes(nameOf);
  return isNamed
    ? Object.fromEntries(expanded.map(([name, object]) => [name ?? '', object]))
    : expanded.map(([, object]) => object);
}

function nest(cells: readonly [string, Json][]): JsonRecord {
  const object: JsonRecord = {};
  for (const [column, cell] of cells) {
    const [name, part] = column.split('.') as [string, string | undefined];
    if (part === undefined) define(object, name, expandTables(cell));
    else {
      if (!Object.hasOwn(object, name)) define(object, name, {});
      define(object[name] as JsonRecord, part, expandTables(cell));
    }
  }
  return object;
}

/** Assigning to `__proto__` would change the prototype instead of adding a field. */
function define(object: JsonRecord, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
