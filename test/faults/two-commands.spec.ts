import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { attachStack } from '@gateway/testing';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Runs `npm start` and `npm run stop` as a user would. The stack is isolated from all other stacks on the
 * machine.
 */
describe('npm start and npm run stop', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-gateway-commands-'));
  const stack = attachStack(dataDir);
  const { PATH, HOME } = process.env;
  const command = (script: string, ...flags: string[]) =>
    run(process.execPath, [join(root, 'tools/bootstrap', script), ...flags, '--data-dir', dataDir], {
      env: { PATH, HOME },
    });
  const supervisorPid = () =>
    (JSON.parse(readFileSync(join(dataDir, 'run/state.json'), 'utf8')) as { supervisor: { pid: number } })
      .supervisor.pid;
  const runningPids = () =>
    Object.values(stack.dev.services).flatMap(({ pid }) => (pid === null ? [] : [pid]));
  const isAlive = (pid: number) => {
    try {
      // If the parent process was killed, an exited process may remain as a zombie for a while.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  const modelsStatus = async () => {
    const headers = { authorization: `Bearer ${stack.apiKey}` };
    return (await fetch(`${stack.baseUrl}/v1/models`, { headers })).status;
  };

  afterAll(async () => {
    await command('stop.mjs');
    rmSync(dataDir, { recursive: true, force: true });
  }, 120_000);

  test('npm start prints the address, the API key and a command, and the API key works', async () => {
    const { stdout } = await command('start.mjs', '--detach');
    expect(stdout).toContain(stack.baseUrl);
    expect(stdout).toContain(stack.apiKey);
    expect(stdout).toContain(`curl ${stack.baseUrl}/v1/chat/completions`);
    expect(await modelsStatus()).toBe(200);
  }, 120_000);

  test('npm start on a running stack changes nothing', async () => {
    const before = runningPids();
    const { stdout } = await command('start.mjs', '--detach');
    expect(stdout).toContain('Already running');
    expect(runningPids()).toEqual(before);
  }, 60_000);

  test('npm run status names each process with its health, and npm run logs prints log lines', async () => {
    const { stdout } = await command('status.mjs', '--json');
    const { status, processes } = JSON.parse(stdout) as {
      status: string;
      processes: { name: string; health: string; url: string | null }[];
    };
    expect(status).toBe('healthy');
    expect(processes.map(({ name }) => name)).toEqual(Object.keys(stack.dev.services));
    expect(processes).toContainEqual(
      expect.objectContaining({ name: 'edge-gateway', health: 'healthy', url: stack.baseUrl }),
    );
    const logs = (...flags: string[]) => command('logs.mjs', '--no-follow', '--lines', '500', ...flags);
    expect((await logs('account')).stdout).toMatch(/^account +\| \{.*"msg":"account is started"/m);
    await expect(logs('acount')).rejects.toMatchObject({
      stderr: expect.stringContaining('There is no log of acount. Known: account,') as string,
    });
  }, 60_000);

  test.each(['start', 'stop', 'status', 'logs'])('npm run %s -- --help prints the options', async (name) => {
    const { stdout } = await command(`${name}.mjs`, '--help');
    expect(stdout).toContain('--data-dir DIR');
  });

  test('a killed service is restarted', async () => {
    const router = stack.service('tool-router');
    const before = router.pid;
    await router.kill();
    await router.waitReady();
    expect(router.pid).not.toBe(before);
  }, 60_000);

  test('after the supervisor was killed, npm start stops the leftover processes and keeps the address, key and data', async () => {
    const { baseUrl, apiKey, accountId } = stack;
    const left = runningPids();
    process.kill(supervisorPid(), 'SIGKILL');
    await command('start.mjs', '--detach');
    expect(left.filter(isAlive)).toEqual([]);
    expect({ baseUrl: stack.baseUrl, apiKey: stack.apiKey, accountId: stack.accountId }).toEqual({
      baseUrl,
      apiKey,
      accountId,
    });
    expect(await modelsStatus()).toBe(200);
  }, 120_000);

  test('npm run stop leaves no process behind', async () => {
    const pids = [supervisorPid(), ...runningPids()];
    expect(pids.filter(isAlive)).toEqual(pids);
    const { stdout } = await command('stop.mjs');
    expect(stdout).toContain('Stopped.');
    expect(pids.filter(isAlive)).toEqual([]);
  }, 120_000);

  test('npm run stop leaves no process behind, even if the supervisor was killed', async () => {
    await command('start.mjs', '--detach');
    const pids = [supervisorPid(), ...runningPids()];
    process.kill(supervisorPid(), 'SIGKILL');
    const { stdout } = await command('stop.mjs');
    expect(stdout).toContain('left running');
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(command('status.mjs')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('No stack is running') as string,
    });
  }, 120_000);
});
