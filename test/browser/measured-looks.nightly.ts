import type { Browser } from 'playwright-core';
import { openMeasuredAccount, type MeasuredAccount } from './measured.fixture.ts';
import {
  connectBrowser,
  findBarriers,
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
/**
 * Dashboard pages and tabs to which the navigation pages link. The pages in the navigation are covered by
 * every-page.spec.ts.
 */
const pages: [name: string, path: () => string][] = [
  ['overview-filtered', () => 'overview?days=30&model=openai/gpt-4o-mini'],
  ['requests-none', () => 'requests?session_id=nobody'],
  ['request-failed', () => `requests/${failedId()}`],
  ['session', () => 'sessions/one?id=ticket-1'],
  ['tool', () => 'tool-health/one?name=get_weather'],
  ['recall-alerts', () => 'tool-health?tab=alerts'],
  ['suggestions', () => 'tool-health?tab=suggestions'],
  ['routing-models', () => 'routing?tab=models'],
  ['routing-insights', () => 'routing?tab=insights'],
  ['routing-calibration', () => 'routing?tab=calibration'],
  ['routing-traces', () => 'routing?tab=traces'],
];

/** Three page widths, each with a light or dark color scheme. every-page.spec.ts covers all combinations. */
const looks: readonly Look[] = [
  { width: 390, scheme: 'dark' },
  { width: 1024, scheme: 'light' },
  { width: 1600, scheme: 'light' },
];

const title = ({ width, scheme }: Look) => `${width} px, ${scheme}`;

test.each(looks.map((look) => [title(look), look] as const))(
  'all detail pages and tabs at %s have no serious accessibility issues, horizontal overflow or errors',
  async (_title, look) => {
    const watched = await openPage(browser, look);
    await signIn(watched, account.person);
    for (const [name, path] of pages) {
      await goTo(watched.page, path());
      await shoot(watched.page, name, look);
      expect({ name, barriers: await findBarriers(watched.page) }).toEqual({ name, barriers: [] });
      expect({ name, isTooWide: await isTooWide(watched.page) }).toEqual({ name, isTooWide: false });
    }
    expect(watched.faults).toEqual([]);
    await watched.close();
  },
  180_000,
);
