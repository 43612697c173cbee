/** The arguments of Prisma operations that the account scope reads or changes. */
type Args = Readonly<Record<string, unknown>>;

const reads = [
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
];
const filtered = new Set([...reads, 'delete', 'deleteMany']);
const updates = new Set(['update', 'updateMany', 'updateManyAndReturn']);
const creates = new Set(['create', 'createMany', 'createManyAndReturn']);

/** The account id, and the field that links the model's rows to the account. */
export interface AccountScope {
  readonly accountId: string;
  readonly field: string;
}

/**
 * The error for a query that an account-scoped client may not make. A scope error always indicates a bug,
 * never an error of the caller.
 */
export class ScopeError extends Error {
  override readonly name = 'ScopeError';
}

/**
 * Restricts an operation to one account by adding the account to every filter and every new row. Throws a
 * ScopeError for another account's row. Links to existing rows also throw, because the row could belong to
 * another account. Unknown operations, including raw SQL, also throw a ScopeError.
 */
export function scopeArgs(operation: string, args: unknown, scope: AccountScope): Args {
  const given = (args ?? {}) as Args;
  if (filtered.has(operation)) return { ...given, where: scopeWhere(given['where'], scope) };
  if (updates.has(operation)) {
    rejectForeign(given['data'], scope);
    return { ...given, where: scopeWhere(given['where'], scope) };
  }
  if (creates.has(operation)) return { ...given, data: scopeRows(given['data'], scope) };
  if (operation === 'upsert') {
    rejectForeign(given['update'], scope);
    return {
      ...given,
      where: scopeWhere(given['where'], scope),
      create: scopeRow(given['create'], scope),
    };
  }
  throw new ScopeError(`The operation ${operation} cannot be scoped by account.`);
}

/** Adds the account to the caller's own filter with `AND`, so no additional rows can match. */
function scopeWhere(where: unknown, { field, accountId }: AccountScope): Args {
  const given = (where ?? {}) as Args;
  const and: unknown = given['AND'];
  const others: unknown[] = and === undefined ? [] : Array.isArray(and) ? and : [and];
  return { ...given, AND: [{ [field]: accountId }, ...others] };
}

function scopeRows(data: unknown, scope: AccountScope): Args | Args[] {
  return Array.isArray(data) ? data.map((row: unknown) => scopeRow(row, scope)) : scopeRow(data, scope);
}

function scopeRow(row: unknown, scope: AccountScope): Args {
  rejectForeign(row, scope);
  return { ...(row as Args), [scope.field]: scope.accountId };
}

function rejectForeign(data: unknown, { field, accountId }: AccountScope): void {
  const row = (data ?? {}) as Args;
  if (row[field] !== undefined && row[field] !== accountId) {
    throw new ScopeError(`The query would write a row of another account (${field}).`);
  }
  for (const [name, value] of Object.entries(row)) {
    if (isLink(value)) throw new ScopeError(`The relation ${name} must not link to an existing row.`);
    // A related row always refers to its account by `accountId`, even if the outer model uses another field.
    for (const nested of nestedRows(value)) rejectForeign(nested, { field: 'accountId', accountId });
  }
}

/**
 * Whether a value links to existing rows. Links use `connect`, `connectOrCreate`, or `set` with a list of
 * rows. A `set` with a scalar or a list of scalars is an ordinary assignment.
 */
function isLink(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ('connect' in value || 'connectOrCreate' in value) return true;
  const set: unknown = 'set' in value ? value.set : undefined;
  return Array.isArray(set) && set.some((item) => typeof item === 'object' && item !== null);
}

/** Returns the rows that a nested write creates or changes. */
function nestedRows(value: unknown): unknown[] {
  if (!isObject(value)) return [];
  return ['create', 'createMany', 'update', 'updateMany', 'upsert'].flatMap((operation) =>
    [value[operation]].flat().flatMap((item) => {
      if (!isObject(item)) return [];
      if (operation === 'upsert') return [item['create'], item['update']];
      return [item['data'] ?? item].flat();
    }),
  );
}

function isObject(value: unknown): value is Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
