import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@gateway/testing';
import { contractTable } from '@gateway/contracts';
import { makeServerCertificate } from './certificates.ts';
import { natsUsers, renderNatsConfig } from './nats-config.ts';
import { natsAnswers } from './nats.ts';
import { waitUntil } from './process-identity.ts';
import { requireProgram } from './programs.ts';
import { root } from './root.ts';

const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-tls-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("the certificate authority's key is deleted after the authority signed one certificate", () => {
  const names = { dns: ['nats', 'localhost'], ip: ['127.0.0.1'] };
  const made = makeServerCertificate(directory, names);
  expect(readdirSync(directory).sort()).toEqual(['ca.crt', 'server.crt', 'server.key']);
  expect(makeServerCertificate(directory, names)).toEqual(made);
});

test('NATS with the certificate accepts clients that trust the certificate authority, and rejects unencrypted connections', async () => {
  const port = await findFreePort();
  const { caFile, ...tls } = makeServerCertificate(directory, {
    dns: ['nats', 'localhost'],
    ip: ['127.0.0.1'],
  });
  const passwords = Object.fromEntries(natsUsers.map((user) => [user, `password-of-${user}`]));
  const config = join(directory, 'nats-server.conf');
  writeFileSync(
    config,
    renderNatsConfig({ host: '127.0.0.1', port, passwords, tls, contracts: contractTable }),
  );
  const server = spawn(requireProgram('nats-server'), ['-c', config], { stdio: 'ignore' });
  try {
    expect(await waitUntil(() => natsAnswers(port), 10_000)).toBe(true);
    expect(connect(`tls://localhost:${port}`, { NODE_EXTRA_CA_CERTS: caFile })).toBe('connected');
    expect(connect(`tls://localhost:${port}`, {})).not.toBe('connected');
  } finally {
    server.kill('SIGKILL');
  }
}, 60_000);

/**
 * Connects to NATS like a service does. A service reads its trusted certificate authorities from the
 * environment at startup.
 */
function connect(url: string, env: Record<string, string>): string {
  const program = `
    import { connect } from '@nats-io/transport-node';
    const servers = ${JSON.stringify(url)};
    const nats = await connect({ servers, user: 'worker', pass: 'password-of-worker', reconnect: false });
    process.stdout.write('connected');
    await nats.close();`;
  const words = ['--input-type=module', '-e', program];
  return spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8', timeout: 30_000 }).stdout;
}
