import { scopeArgs, ScopeError } from './scope-args.ts';

const scope = { accountId: 'mine', field: 'accountId' };

describe('a query scoped by account', () => {
  it.each([
    ...['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany', 'count', 'aggregate'],
    ...['groupBy', 'delete', 'deleteMany', 'update', 'updateMany', 'updateManyAndReturn'],
  ])('%s returns only the rows of its account, even without a filter', (operation) => {
    expect(scopeArgs(operation, undefined, scope)['where']).toEqual({ AND: [{ accountId: 'mine' }] });
  });

  it.each([
    [
      { id: 'x', accountId: 'theirs' },
      { id: 'x', accountId: 'theirs', AND: [{ accountId: 'mine' }] },
    ],
    [{ AND: { id: 'x' } }, { AND: [{ accountId: 'mine' }, { id: 'x' }] }],
    [{ AND: [{ id: 'x' }] }, { AND: [{ accountId: 'mine' }, { id: 'x' }] }],
    [{ OR: [{}, {}] }, { OR: [{}, {}], AND: [{ accountId: 'mine' }] }],
  ])('restricts the filter %j', (where, expected) => {
    expect(scopeArgs('findMany', { where }, scope)['where']).toEqual(expected);
  });

  it('adds its account to every new row', () => {
    expect(scopeArgs('create', { data: { name: 'a' } }, scope)['data']).toEqual({
      name: 'a',
      accountId: 'mine',
    });
    expect(scopeArgs('createMany', { data: [{ n: 1 }, { n: 2 }] }, scope)['data']).toEqual([
      { n: 1, accountId: 'mine' },
      { n: 2, accountId: 'mine' },
    ]);
    expect(scopeArgs('upsert', { where: { id: 'x' }, create: { n: 1 }, update: { n: 2 } }, scope)).toEqual({
      where: { id: 'x', AND: [{ accountId: 'mine' }] },
      create: { n: 1, accountId: 'mine' },
      update: { n: 2 },
    });
  });

  it.each([
    ['create', { data: { accountId: 'theirs' } }],
    ['createMany', { data: [{ accountId: 'mine' }, { accountId: 'theirs' }] }],
    ['update', { where: {}, data: { accountId: 'theirs' } }],
    ['update', { where: {}, data: { accountId: { set: 'theirs' } } }],
    ['upsert', { where: {}, create: {}, update: { accountId: 'theirs' } }],
    ['upsert', { where: {}, create: { accountId: 'theirs' }, update: {} }],
  ])('%s rejects a row of another account: %j', (operation, args) => {
    expect(() => scopeArgs(operation, args, scope)).toThrow(ScopeError);
  });

  it.each([{ connect: { id: 'x' } }, { connectOrCreate: {} }, { set: [{ id: 'x' }] }])(
    'rejects linking an existing row through a relation: %j',
    (keys) => {
      expect(() => scopeArgs('update', { where: {}, data: { keys } }, scope)).toThrow(ScopeError);
    },
  );

  it.each([
    { create: { name: 'a', account: { connect: { id: 'theirs' } } } },
    { create: [{ name: 'a' }, { accountId: 'theirs' }] },
    { createMany: { data: [{ accountId: 'theirs' }] } },
    { update: { where: { id: 'x' }, data: { account: { connect: { id: 'theirs' } } } } },
    { update: { where: { id: 'x' }, data: { accountId: 'theirs' } } },
    { update: { account: { connectOrCreate: {} } } },
    { updateMany: [{ where: {}, data: { accountId: { set: 'theirs' } } }] },
    {
      upsert: { where: {}, create: {}, update: { parts: { update: { data: { owner: { connect: {} } } } } } },
    },
    { upsert: [{ where: {}, create: { accountId: 'theirs' }, update: {} }] },
  ])('rejects links and rows of another account in a write to a related row: %j', (keys) => {
    for (const [operation, args] of [
      ['update', { where: {}, data: { keys } }],
      ['create', { data: { keys } }],
      ['upsert', { where: {}, create: {}, update: { keys } }],
    ] as const)
      expect(() => scopeArgs(operation, args, { ...scope, field: 'id' })).toThrow(ScopeError);
  });

  it('allows writes to related rows of the same account', () => {
    const data = {
      policy: { create: {} },
      keys: { create: [{ id: 'y', accountId: 'mine' }], updateMany: { where: {}, data: { name: 'a' } } },
    };
    expect(() => scopeArgs('update', { where: {}, data }, { ...scope, field: 'id' })).not.toThrow();
  });

  it('allows setting scalar values', () => {
    const data = {
      tags: { set: ['a'] },
      n: { increment: 1 },
      json: [{ connect: 1 }],
      at: new Date(),
      none: null,
    };
    expect(scopeArgs('update', { where: {}, data }, scope)['data']).toEqual(data);
  });

  it.each(['$queryRaw', '$executeRawUnsafe', 'queryRaw', 'runCommandRaw', 'somethingNew'])(
    'rejects %s',
    (name) => {
      expect(() => scopeArgs(name, {}, scope)).toThrow(ScopeError);
    },
  );
});
