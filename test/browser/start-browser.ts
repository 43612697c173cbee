import { chromium } from 'playwright-core';

/** Browser flags that stop the browser's own background network traffic. */
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

/** Starts a browser. Test files connect to the browser at `url`. */
export async function startBrowser(executablePath: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer({ executablePath, args: quiet, headless: true });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}
