import type { Browser } from 'playwright-core';
import { openMeasuredAccount, type MeasuredAccount } from './measured.fixture.ts';
import {
  applyLook,
  connectBrowser,
  findBarriers,
  findClippedCells,
  findSidewaysTables,
  goTo,
  isTooWide,
  openPage,
  shoot,
  signIn,
  type Look,
} from './page.fixture.ts';

let browser: Browser;
let account: MeasuredAccount;

beforeAll(async () => {
  [browser, account] = await Promise.all([connectBrowser(), openMeasuredAccount()]);
}, 120_000);
afterAll(() => Promise.all([browser.close(), account.provider.close()]));

const failedId = () => account.rows.find(({ status }) => status === 'error')!.id;
const pages: [name: string, path: () => string][] = [
  ['overview', () => 'overview'],
  ['requests', () => 'requests'],
  ['request-failed', () => `requests/${failedId()}`],
  ['sessions', () => 'sessions'],
  ['tool-health', () => 'tool-health'],
  ['traces', () => 'routing?tab=traces'],
  ['calibration', () => 'routing?tab=calibration'],
  ['keys', () => 'keys'],
  ['audit', () => 'audit'],
  ['billing', () => 'billing'],
  ['account', () => 'account'],
  ['models', () => 'routing?tab=models'],
  ['recall-alerts', () => 'tool-health?tab=alerts'],
  ['tool', () => 'tool-health/one?name=get_weather'],
  ['session', () => 'sessions/one?id=ticket-1'],
  ['request', () => `requests/${account.rows.find(({ status }) => status === 'ok')!.id}`],
  ['providers', () => 'providers'],
  ['connect-form', () => 'providers'],
  ['command-palette', () => 'overview'],
];
const looks: readonly Look[] = ([360, 390, 768, 1440, 1920] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

/** Contrast and labels differ by color scheme and between phones and wider screens. axe is slow. */
const examined = ['390 dark', '1440 light'];

test.each(pages)(
  '%s has no clipped figures, overflow or serious accessibility issues at five widths, light and dark',
  async (name, path) => {
    const watched = await openPage(browser, { scheme: 'light', width: 1440 });
    const { page } = watched;
    await signIn(watched, account.person);
    await goTo(page, path());
    if (name === 'connect-form') {
      await page.getByRole('button', { name: 'Connect Amazon Bedrock', exact: true }).click();
      await page.getByRole('dialog').getByRole('radio', { name: 'API key' }).click();
    }
    if (name === 'command-palette') {
      await page.keyboard.press('Control+K');
      await page.getByRole('listbox').waitFor();
    }
    const found: object[] = [];
    for (const look of looks) {
      await applyLook(page, look);
      const [clipped, wide] = [await findClippedCells(page), await isTooWide(page)];
      const isExamined = examined.includes(`${look.width} ${look.scheme}`);
      if (isExamined) await shoot(page, name, look);
      const barriers = isExamined ? await findBarriers(page) : [];
      if (wide || clipped.length > 0 || barriers.length > 0) found.push({ look, clipped, wide, barriers });
    }
    expect(found).toEqual([]);
    expect(watched.faults).toEqual([]);
    await watched.close();
  },
);

test.each([
  ...[
    'overview',
    'keys',
    'requests',
    'sessions',
    'sessions/one?id=ticket-1',
    'tool-health',
    'audit',
    'billing',
  ],
  ...['tool-health?tab=alerts', 'routing?tab=models'],
])('no table on %s scrolls sideways at any width', async (path) => {
  const watched = await openPage(browser, { scheme: 'light', width: 1440 });
  await signIn(watched, account.person);
  await goTo(watched.page, path);
  for (const width of [360, 390, 768, 1024, 1440, 1600, 1920] as const) {
    await applyLook(watched.page, { scheme: 'light', width });
    expect([width, await findSidewaysTables(watched.page)]).toEqual([width, []]);
  }
  await watched.close();
});

test.each([
  ['requests', 'Tools sent'],
  ['sessions', 'From cache'],
  ['tool-health', 'Mean rank'],
  ['audit', 'From where'],
])('the table on %s shows all columns on a laptop', async (path, last) => {
  const watched = await openPage(browser, { scheme: 'light', width: 1440 });
  await signIn(watched, account.person);
  await goTo(watched.page, path);
  expect(await watched.page.getByRole('columnheader', { name: last }).isVisible()).toBe(true);
  await watched.close();
});

test('on a phone, cost and duration of requests, savings of sessions and actions of keys are in view', async () => {
  const watched = await openPage(browser, { scheme: 'light', width: 390 });
  const { page } = watched;
  await signIn(watched, account.person);
  const isInView = async (label: string) => {
    const box = await page.getByRole('columnheader', { name: label }).boundingBox();
    return box !== null && box.x + box.width <= 390;
  };
  for (const [path, headers] of [
    ['requests', ['Cost', 'Duration']],
    ['sessions', ['Saved', 'Cost']],
    ['keys', ['Use', 'Actions']],
  ] as const) {
    await goTo(page, path);
    for (const header of headers) expect([header, await isInView(header)]).toEqual([header, true]);
  }
  await watched.close();
});
