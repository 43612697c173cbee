import { GatewayError } from '@gateway/errors';
import {
  isMissingRow,
  isUnavailable,
  isUniqueConflict,
  mapDatabaseError,
  sqlStateOf,
} from './database-errors.ts';

const withCode = (code: string, message = 'a message') => Object.assign(new Error(message), { code });

describe('a database error', () => {
  it.each(['P1001', 'P1017', 'P2024', 'P2028', 'ECONNREFUSED', '57P01', '08006', '53300'])(
    'with %s means that the database is unavailable',
    (code) => {
      const mapped = mapDatabaseError(withCode(code));
      expect(mapped).toBeInstanceOf(GatewayError);
      expect(mapped).toMatchObject({ code: 'service_unavailable', detail: 'a message' });
    },
  );

  it.each(['P2002', 'P2025', 'P2034', '23505', '42P01', 'P10011'])(
    'with %s is attributed to the query',
    (code) => {
      const error = withCode(code);
      expect(mapDatabaseError(error)).toBe(error);
    },
  );

  // Errors recorded from Prisma 7.10 while Postgres terminated connections (`npm run test:integration -- persistence`).
  const cause = { originalCode: '57P01', kind: 'postgres', code: '57P01', severity: 'FATAL' };
  const adapterError = Object.assign(new Error('postgres'), { name: 'DriverAdapterError', cause });
  const asPrisma = (code: string) =>
    Object.assign(withCode(code), { meta: { driverAdapterError: adapterError } });

  it.each([
    ['of a model query', asPrisma('P2039')],
    ['of a raw query', asPrisma('P2010')],
    ['of the start of a transaction', adapterError],
    ['of a lost socket', Object.assign(new Error('x'), { cause: { kind: 'ConnectionClosed' } })],
  ])('%s means that the database is unavailable', (_, error) => {
    expect(mapDatabaseError(error)).toMatchObject({ code: 'service_unavailable' });
  });

  it('from a constraint in a raw query is attributed to the query', () => {
    const violation = Object.assign(new Error('x'), { cause: { originalCode: '23514', kind: 'postgres' } });
    const error = Object.assign(withCode('P2010'), { meta: { driverAdapterError: violation } });
    expect(mapDatabaseError(error)).toBe(error);
    expect(sqlStateOf(error)).toBe('23514');
  });

  it('is found in the cause chain, up to a maximum depth', () => {
    expect(isUnavailable(new Error('outer', { cause: withCode('ECONNRESET') }))).toBe(true);
    const loop = new Error('loop');
    loop.cause = loop;
    expect(isUnavailable(loop)).toBe(false);
  });

  it('hides its detail from the public text', () => {
    const mapped = mapDatabaseError(withCode('P1001', 'cannot reach 10.0.0.1:5432')) as GatewayError;
    expect(mapped.message).not.toContain('10.0.0.1');
  });

  it.each([null, undefined, 'text', 7, {}])('can be any thrown value: %j', (thrown) => {
    expect(mapDatabaseError(thrown)).toBe(thrown);
    expect([isUniqueConflict(thrown), isMissingRow(thrown)]).toEqual([false, false]);
  });
});
