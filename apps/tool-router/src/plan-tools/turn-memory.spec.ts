import { hashTurns } from '@gateway/contracts';
import { planRequest } from '../tool-index/tools.fixture.ts';
import { TurnMemory } from './plan-tools.ts';

const turn = (name: string) => `${name} `.repeat(1500);
const memory = () => new TurnMemory(1_000_000);
const later = { userTurns: [turn('c')], earlierTurns: hashTurns([turn('a'), turn('b')]) };

describe('TurnMemory', () => {
  it('returns the whole conversation if the earlier turns are stored', () => {
    const turns = memory();
    turns.resolve(planRequest({ userTurns: [turn('a'), turn('b')] }));
    expect(turns.resolve(planRequest(later))).toEqual([turn('a'), turn('b'), turn('c')]);
    const next = {
      userTurns: [turn('d')],
      earlierTurns: hashTurns([turn('a'), turn('b'), turn('c')]),
    };
    expect(turns.resolve(planRequest(next))).toEqual([turn('a'), turn('b'), turn('c'), turn('d')]);
  });

  it('also finds the earlier turns when the same turn is planned again', () => {
    const turns = memory();
    turns.resolve(planRequest({ userTurns: [turn('a'), turn('b'), turn('c')] }));
    expect(turns.resolve(planRequest(later))).toEqual([turn('a'), turn('b'), turn('c')]);
  });

  it('never returns another account’s turns', () => {
    const turns = memory();
    turns.resolve(planRequest({ userTurns: [turn('a'), turn('b')] }));
    const accountId = '019a9f5e-0000-7000-8000-00000000000f';
    expect(turns.resolve(planRequest({ ...later, accountId }))).toBeUndefined();
  });

  it('evicts the oldest conversations when the memory is full', () => {
    const turns = new TurnMemory(20_000);
    turns.resolve(planRequest({ userTurns: [turn('a'), turn('b')] }));
    for (const name of 'efghijk') turns.resolve(planRequest({ userTurns: [turn(name), turn(name)] }));
    expect(turns.resolve(planRequest(later))).toBeUndefined();
  });
});

describe('hashTurns', () => {
  it('gives different hashes to two lists of turns whose concatenated texts are equal', () => {
    expect(hashTurns(['ab', 'c'])).not.toBe(hashTurns(['a', 'bc']));
  });
});
