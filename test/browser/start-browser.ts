import { chromium } from 'playwright-core';

/** What keeps a browser of the system's from talking to anybody but the pages under test. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser that test files connect to at `url`. */
export async function startBrowser(executablePath: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer({ executablePath, args: quiet, headless: true });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}
