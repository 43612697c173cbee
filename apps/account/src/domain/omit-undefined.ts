/** What is left out of a partial update stays out of the row's change. */
export function omitUndefined<Row extends object>(
  row: Row,
): { [Field in keyof Row]?: Exclude<Row[Field], undefined> } {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Row]?: Exclude<Row[Field], undefined>;
  };
}
