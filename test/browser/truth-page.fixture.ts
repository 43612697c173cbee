import { requestLogPage, type RequestLogEntry } from '@gateway/contracts';
import { costUsd, loadCatalog } from '@gateway/model-catalog';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Browser } from 'playwright-core';
import { callFor } from '../e2e/governance.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { readFigures, type ShownFigure } from './figures.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';
import { openKnownAccount, type KnownAccount } from './truth.fixture.ts';
import type { KnownRequest } from './truth-traffic.fixture.ts';

type Schema = Parameters<typeof callFor>[0];

/** A signed-in browser, and an account with known requests and log rows. */
export interface Truth {
  readonly account: KnownAccount;
  readonly watched: WatchedPage;
  readonly rows: ReadonlyMap<string, RequestLogEntry>;
  close(): Promise<void>;
}

/** Sends the known requests, and waits for their rows in the request log. */
export async function openTruth(): Promise<Truth> {
  const [browser, account]: [Browser, KnownAccount] = await Promise.all([
    connectBrowser(),
    openKnownAccount(),
  ]);
  const watched = await openPage(browser, { width: 1600, scheme: 'light' });
  await signIn(watched, account.person);
  const key = account.person.accessToken;
  const { data } = await eventually(async () => {
    const read = await callFor(requestLogPage, 200, { path: '/v1/account/requests?limit=500', key });
    return read.total === account.traffic.requests.length ? read : undefined;
  });
  return {
    account,
    watched,
    rows: new Map(data.map((row) => [row.id, row])),
    async close() {
      await watched.close();
      await Promise.all([browser.close(), account.provider.close()]);
    },
  };
}

/** Calls the gateway's API with the user's access token. */
export const askAs = <Wanted extends Schema>({ account }: Truth, schema: Wanted, path: string) =>
  callFor(schema, 200, { path, key: account.person.accessToken });

/** Opens a dashboard page and returns its figures. */
export async function readAll({ watched }: Truth, path: string): Promise<Map<string, ShownFigure>> {
  await goTo(watched.page, path);
  return readFigures(watched.page);
}

/** Returns the open page's text. */
export async function readMain({ watched }: Truth): Promise<string> {
  return (await watched.page.locator('main').textContent()) ?? '';
}

export const sum = (values: readonly (number | null | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

const model = loadCatalog().find('openai', 'gpt-4o-mini')!;
/** Returns how much the provider charges for the request, in USD. */
export const costOf = ({ upstream }: KnownRequest): number =>
  sum(upstream.map((usage) => costUsd(model, usage, Date.now())));
/** Returns the number of input tokens of the client's request, which contains every tool. */
export const wholeTokensOf = ({ body }: KnownRequest): number => countTokens(body);
/** Returns what the request would cost without the gateway, in USD. */
export const wholeCostOf = (known: KnownRequest): number =>
  costUsd(
    model,
    { inputTokens: wholeTokensOf(known), outputTokens: known.upstream.at(-1)!.outputTokens },
    Date.now(),
  )!;
/** Returns the number of tool definitions in the first provider call. */
export const sentBy = ({ upstream }: KnownRequest): number => upstream[0]!.tools;
