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
  it('writes field names only once, and also writes equal values of all objects only once', () => {
    expect(render({ flights })).toBe(
      '{"flights":{"all":{"origin":"JFK","status":"available"},' +
        '"columns":["flight_number","seats.economy","seats.business"],' +
        '"rows":[["HAT1",17,3],["HAT2",5,0],["HAT3",9,12]]}}',
    );
  });

  it('preserves nested lists, and the field names in an object of objects', () => {
    const groups = render([flights, flights.slice(1)]);
    expect(groups).toContain('"groups":[[["HAT1",17,3]');
    expect(expandTables(JSON.parse(groups))).toEqual([flights, flights.slice(1)]);
    const byName = { one: flights[0], two: flights[1], three: flights[2] };
    const named = render(byName);
    expect(named).toContain('"columns":["(name)",');
    expect(expandTables(JSON.parse(named))).toEqual(byName);
  });

  it('distinguishes a missing field from null', () => {
    const rows = [
      ...flights,
      { ...flight('HAT4', 1, 1), delay: null },
      { ...flight('HAT5', 1, 1), delay: 5 },
    ];
    const table = render(rows.slice(1));
    expect(table).toContain('"∅"');
    expect(expandTables(JSON.parse(table))).toEqual(rows.slice(1));
  });

  it('renders each part of deeply nested lists only once', () => {
    let nested: unknown = 1;
    // If the rendering work doubled at each nesting level, the test would take hours.
    for (let depth = 0; depth < 31; depth += 1) nested = [{ a: nested }, { a: 1 }];
    expect(expandTables(JSON.parse(render(nested)))).toEqual(nested);
  });

  it.each([
    ['one object', [flights[0]]],
    ['objects that have little in common', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ['a list of numbers', [1, 2, 3]],
    ['objects so short that names cost nothing', [{ a: 1 }, { a: 2 }]],
  ])('leaves %s unchanged', (_, value) => {
    expect(render(value)).toBe(JSON.stringify(value));
  });
});

it('does not change text that already contains table keywords', () => {
  expect(mayHoldTables('{"columns":[]}')).toBe(true);
  expect(mayHoldTables('{"rows":[]}')).toBe(false);
});

const textsOf = (part: (at: number) => string): string => `[${[1, 2, 3, 4].map(part).join(',')}]`;

it.each([
  ['a value', textsOf((at) => `{"number":${at},"name":"\\u2205","state":"open"}`)],
  ['a dot in a name', textsOf((at) => `{"number":${at},"user\\u002Ename":"n${at}","state":"open"}`)],
  ['a name', textsOf((at) => `{"\\u0063olumns":["number"],"rows":[[${at}]],"state":"open"}`)],
])('does not change text that contains table keywords as escapes: %s', (_, text) => {
  const table = renderTables(scanJson(Buffer.from(text), { depthMax: 64 }));
  const saysTheSame = JSON.stringify(expandTables(JSON.parse(table))) === JSON.stringify(JSON.parse(text));
  expect(saysTheSame || mayHoldTables(text)).toBe(true);
});

it('ignores escapes outside table keywords', () => {
  expect(mayHoldTables('{"a":"\\u003cb\\u003e \\u00e9 \\ud83d\\ude00"}')).toBe(false);
});
