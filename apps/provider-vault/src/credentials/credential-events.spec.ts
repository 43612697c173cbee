import { credentialChanged, noteCredentialChange } from '@gateway/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { CredentialEvents } from './credential-events.ts';

function openEvents() {
  const sent: string[] = [];
  const messaging = {
    broadcast: (contract: unknown, { accountId }: { accountId: string }) =>
      contract === credentialChanged && sent.push(`broadcast ${accountId}`),
    call: (contract: unknown, { accountId }: { accountId: string }) => {
      if (contract === noteCredentialChange) sent.push(`note ${accountId}`);
      return Promise.resolve({});
    },
  };
  const counter = { inc: () => undefined };
  const parts = { messaging, logger: { warn: () => undefined }, metrics: { counter: () => counter } };
  const events = new CredentialEvents(parts as never, { wake: () => undefined });
  const notes = () => sent.filter((each) => each.startsWith('note'));
  return { events, sent, notes };
}

it('every change is broadcast, and the account service is notified of quick changes together', async () => {
  const { events, sent, notes } = openEvents();
  for (let at = 0; at < 20; at += 1) events.announceChange({ accountId: 'busy', provider: 'openai' });
  events.announceChange({ accountId: 'quiet', provider: 'openai' });
  expect(sent.filter((each) => each === 'broadcast busy')).toHaveLength(20);
  expect(notes()).toEqual(['note busy', 'note quiet']);
  // One more notification follows the other 19 changes of the busy account.
  while (notes().length < 3) await sleep(5);
  expect(notes()).toEqual(['note busy', 'note quiet', 'note busy']);
});
