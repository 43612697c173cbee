/** Tests each line of the interface document, and each deviation that an audit found. */
import { accountRows } from './interface-account-rows.fixture.ts';
import { auditRows } from './interface-audit-rows.fixture.ts';
import { chatRows } from './interface-chat-rows.fixture.ts';
import { proxyRows } from './interface-proxy-rows.fixture.ts';
import { effectRows } from './interface-effect-rows.fixture.ts';
import { openWorld, type InterfaceWorld } from './interface.fixture.ts';

let world: InterfaceWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const tables = {
  ...{ chat: chatRows, proxies: proxyRows, accounts: accountRows, effects: effectRows, audit: auditRows },
};

describe.each(Object.entries(tables))('%s', (_, rows) => {
  it.each(rows)('%s', (_line, check) => check(world), 60_000);
});

afterAll(() => {
  const counts = Object.entries(tables).map(([name, rows]) => `${name} ${rows.length}`);
  const sum = Object.values(tables).reduce((total, rows) => total + rows.length, 0);
  process.stdout.write(`${sum} rows of the interface: ${counts.join(', ')}\n`);
});
