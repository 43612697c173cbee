import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@gateway/contracts';
import {
  contractTable,
  type BroadcastContract,
  type JobContract,
  type RpcContract,
} from '@gateway/contracts';

type Contract = RpcContract | BroadcastContract | JobContract;

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ['rpc', 'broadcast', 'job'].includes(value.kind as string);
const exported = (Object.entries(contracts) as [string, unknown][]).filter(
  (entry): entry is [string, Contract] => isContract(entry[1]),
);
const folder = join(import.meta.dirname, '../../libs/contracts/src');

describe('contracts', () => {
  test('the table of contracts lists every call and broadcast exactly once, with no extra entries', () => {
    const messages = exported.map(([, contract]) => contract).filter(({ kind }) => kind !== 'job');
    expect(new Set(contractTable)).toEqual(new Set(messages));
    expect(contractTable).toHaveLength(messages.length);
  });

  test('no two contracts share a subject', () => {
    const subjects = contractTable.map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(subjects.length);
  });

  test.each(contractTable.map((contract) => [contract.subject, contract] as const))(
    'the subject %s is <server>.<name>.v<n>, with the name of the process that answers or publishes it',
    (subject, contract) => {
      expect(subject).toMatch(/^[a-z-]+\.[a-z]+(-[a-z]+)*\.v[1-9]\d*$/);
      expect(subject.split('.')[0]).toBe(contract.kind === 'rpc' ? contract.server : contract.publisher);
    },
  );

  test.each(
    contractTable.filter((contract) => contract.kind === 'rpc').map((each) => [each.subject, each] as const),
  )(
    'the contract %s has a deadline, and its callers exclude its own server',
    (_subject, { deadlineMs, callers, server }) => {
      expect(deadlineMs).toBeGreaterThan(0);
      expect(deadlineMs).toBeLessThanOrEqual(30_000);
      expect(callers.length).toBeGreaterThan(0);
      expect(callers).not.toContain(server);
    },
  );

  test.each(['rpc', 'events', 'jobs'])(
    'the name of every file in %s/ contains the contract’s version',
    (part) => {
      for (const file of readdirSync(join(folder, part)))
        expect(file).toMatch(/^[a-z-]+\.v[1-9]\d*(\.spec)?\.ts$/);
    },
  );

  test('the library exports every contract file', () => {
    const face = readFileSync(join(folder, 'index.ts'), 'utf8');
    const files = ['rpc', 'events', 'jobs'].flatMap((part) =>
      readdirSync(join(folder, part))
        .filter((file) => !file.endsWith('.spec.ts'))
        .map((file) => `./${part}/${file}`),
    );
    expect(files.filter((file) => !face.includes(`'${file}'`))).toEqual([]);
  });
});
