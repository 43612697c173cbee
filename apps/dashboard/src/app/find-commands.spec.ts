import { findCommands } from './find-commands.ts';
import { pages } from './pages.ts';

const labels = (text: string) => findCommands(text).map(({ label }) => label);

it('without a text, every page of the navigation is an entry', () => {
  const addresses = findCommands('').map(({ address }) => address);
  const navigation = pages.filter(({ isInNavigation }) => isInNavigation !== false);
  expect(addresses).toEqual(expect.arrayContaining(navigation.map(({ path }) => `/${path}`)));
});

it('finds pages by all words of their label or topic, and pages whose label starts with the text first', () => {
  expect(labels('rec')[0]).toBe('Recall alerts');
  expect(labels('budget')).toContain('Keys');
  expect(labels('cost requests')).toContain('Most expensive requests');
});

it('every text can be searched in the request log', () => {
  expect(findCommands(' no page & co ')).toEqual([
    { label: 'Search requests for “no page & co”', address: '/requests?search=no+page+%26+co' },
  ]);
});
