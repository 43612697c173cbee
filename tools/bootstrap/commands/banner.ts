import { dirname, join } from 'node:path';
import { renderDuration } from '../setup/progress.mjs';
import type { DevInfo } from '../stack/dev-file.ts';

const SANDBOX_MODEL = 'sandbox/sandbox-1';

/** The credentials for signing in to the dashboard of a trial stack. */
function renderPerson({ demo_person: person }: DevInfo): string {
  return person === null ? '' : `  (${person.email}, ${person.password})`;
}

/**
 * Returns the text that `npm start` prints after the stack has started. The text contains the stack's
 * address, the demo key, and an example command.
 */
export function renderBanner(dev: DevInfo, devFile: string, startedInMs: number | null): string {
  const body = JSON.stringify({
    model: SANDBOX_MODEL,
    messages: [{ role: 'user', content: 'Hello!' }],
  });
  const duration = startedInMs === null ? '' : ` (${renderDuration(startedInMs)}, set-up included)`;
  return `
  The gateway is up${duration}.

  Base URL   ${dev.base_url ?? '(no edge in this stack)'}
  Dashboard  ${dev.dashboard_url ?? '(none without an edge)'}${renderPerson(dev)}
  API docs   ${dev.base_url === null ? '(none without an edge)' : `${dev.base_url}/docs`}
  Demo key   ${dev.api_key ?? '(no account service in this stack)'}
  All URLs   ${devFile}
  Logs       ${join(dirname(devFile), 'logs')}  (npm run logs)
  Status     npm run status
  Stop       npm run stop

  Try it:

  curl ${dev.base_url ?? ''}/v1/chat/completions \\
    -H 'Authorization: Bearer ${dev.api_key ?? ''}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'
`;
}
