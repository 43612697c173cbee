/** Tests that `npm run agent` starts an agent with a new key, and prints the session's cost and savings. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { send } from '../e2e/http.fixture.ts';
import { openProvider } from './sessions.fixture.ts';
import { connect, plainAssignment } from './tasks.fixture.ts';
import { createWorkspace } from './workspace.fixture.ts';

const program = join(import.meta.dirname, '../../tools/agent/main.ts');

test('an agent works with a new key, and the command prints cost and savings', async () => {
  const workspace = createWorkspace(plainAssignment.files);
  const [task] = plainAssignment.tasks(workspace.folder);
  const { provider } = await openProvider([task!]);
  try {
    const { base, key } = await connect(provider.url);
    const env = {
      // npm needs the machine's own certificates and cache, without which the installation took minutes.
      ...process.env,
      ...{ PI_OFFLINE: '1', INIT_CWD: workspace.folder },
      ...{ GATEWAY_URL: base, GATEWAY_API_KEY: key, AGENT_FORMAT: 'messages', AGENT_HOME: workspace.home },
    };
    const run = promisify(execFile)(process.execPath, [program, 'pi', '-p', task!.prompt], { env });
    run.child.stdin?.end();
    const { stdout, stderr } = await run;
    expect(readFileSync(join(workspace.folder, 'answer.txt'), 'utf8')).toBe('kestrel');
    expect(stdout).toContain('The last output was: kestrel');
    expect(stderr).toMatch(/^Requests: 4, of which 0 failed$/m);
    expect(stderr).toMatch(/^Cost: \$0\.0\d{3}$/m);
    expect(stderr).toMatch(/^Saved: -?\$0\.0\d{3}$/m);
    const keys = await send(base, { method: 'GET', path: '/v1/account/keys', key });
    expect(keys.status).toBe(200);
    expect(keys.text).not.toContain('npm run agent');
  } finally {
    workspace.remove();
    await provider.close();
  }
}, 300_000);

test('an unknown agent is an error that lists the agents', async () => {
  const run = promisify(execFile)(process.execPath, [program, 'unknown']);
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('codex') as string });
});
