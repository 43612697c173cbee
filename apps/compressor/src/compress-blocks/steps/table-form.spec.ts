import { scanJson } from '@gateway/wire-formats';
import { expandTables } from './expand-tables.fixture.ts';
import { mayHoldTables, renderTables } from './table-form.ts';

const render = (value: unknown): string =>
  renderTables(scanJson(Buffer.from(JSON.stringify(value)), { depthMax: 64 }));

const flight = (number: string, economy: number, business: number) => ({
  flight_number: number,
  origin: 'JFK',
  seats: { economy, business },
  status: 'available',
});
const flights = [flight('HAT1', 17, 3), flight('HAT2', 5, 0), flight('HAT3', 9, 12)];

describe('renderTables', () => {
  it('says names once, and once what is the same in all', () => {
    expect(render({ flights })).toBe(
      '{"flights":{"all":{"origin":"JFK","status":"available"},' +
        '"columns":["flight_number","seats.economy","seats.business"],' +
        '"rows":[["HAT1",17,3],["HAT2",5,0],["HAT3",9,12]]}}',
    );
  });

  it('keeps lists of lists apart, and the names of an object of objects', () => {
    const groups = render([flights, flights.slice(1)]);
    expect(groups).toContain('"groups":[[["HAT1",17,3]');
    expect(expandTables(JSON.parse(groups))).toEqual([flights, flights.slice(1)]);
    const byName = { one: flights[0], two: flights[1], three: flights[2] };
    const named = render(byName);
    expect(named).toContain('"columns":["(name)",');
    expect(expandTables(JSON.parse(named))).toEqual(byName);
  });

  it('tells a member that is not there from one that is null', () => {
    const rows = [
      ...flights,
      { ...flight('HAT4', 1, 1), delay: null },
      { ...flight('HAT5', 1, 1), delay: 5 },
    ];
    const table = render(rows.slice(1));
    expect(table).toContain('"∅"');
    expect(expandTables(JSON.parse(table))).toEqual(rows.slice(1));
  });

  it('looks at each part of lists within lists once, however deep they nest', () => {
    let nested: unknown = 1;
    // Looked at twice a level, as a table and as it is, the innermost would take hours.
    for (let depth = 0; depth < 31; depth += 1) nested = [{ a: nested }, { a: 1 }];
    expect(expandTables(JSON.parse(render(nested)))).toEqual(nested);
  });

  it.each([
    ['one object', [flights[0]]],
    ['objects that have little in common', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ['a list of numbers', [1, 2, 3]],
    ['objects so short that names cost nothing', [{ a: 1 }, { a: 2 }]],
  ])('leaves %s as it is', (_, value) => {
    expect(render(value)).toBe(JSON.stringify(value));
  });
});

it('leaves alone what speaks in tables itself', () => {
  expect(mayHoldTables('{"columns":[]}')).toBe(true);
  expect(mayHoldTables('{"rows":[]}')).toBe(false);
});

const textsOf = (part: (at: number) => string): string => `[${[1, 2, 3, 4].map(part).join(',')}]`;

it.each([
  ['a value', textsOf((at) => `{"number":${at},"name":"\\u2205","state":"open"}`)],
  ['a dot in a name', textsOf((at) => `{"number":${at},"user\\u002Ename":"n${at}","state":"open"}`)],
  ['a name', textsOf((at) => `{"\\u0063olumns":["number"],"rows":[[${at}]],"state":"open"}`)],
])('leaves alone what says so by an escape: %s', (_, text) => {
  const table = renderTables(scanJson(Buffer.from(text), { depthMax: 64 }));
  const saysTheSame = JSON.stringify(expandTables(JSON.parse(table))) === JSON.stringify(JSON.parse(text));
  expect(saysTheSame || mayHoldTables(text)).toBe(true);
});

it('takes other escapes for what they are', () => {
  expect(mayHoldTables('{"a":"\\u003cb\\u003e \\u00e9 \\ud83d\\ude00"}')).toBe(false);
});
