import { startStack } from '@gateway/testing';
import { assessTools, readAssessments } from '../../../apps/worker/src/assess-tools/assess-tools.ts';
import { createTelemetryDatabase } from '../../../apps/worker/src/persistence/telemetry-database.ts';
import { newAccountId } from '../recording/recorder.fixture.ts';
import { undoAll, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
afterAll(() => undoAll(undo), 120_000);

test('a tool list with any characters in its tool names can be assessed', async () => {
  const stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  const database = createTelemetryDatabase({ url: stack.dev.postgres.telemetry });
  undo.push(() => database.close());
  const accountId = newAccountId();
  const tool = (name: string, parameter: string) => ({
    ...{ name, description: 'Gets the user of an id.', examples: [] },
    parameters: { type: 'object', properties: { [parameter]: {} } },
  });
  const tools = [tool('get_user', 'a\0b'), tool('fetch_user\0', 'a\ud83d')];
  const noMeanings = () => Promise.resolve(null);
  expect(await assessTools(database, { accountId, tools }, noMeanings)).toEqual({ assessed: 2 });
  const kept = await readAssessments(database, accountId, ['get_user', 'fetch_user\ufffd']);
  expect(kept.get('get_user')?.near).toEqual([{ name: 'fetch_user\ufffd', similarity: 1 }]);
  expect(
    kept
      .get('fetch_user\ufffd')
      ?.issues.map(({ text }) => text)
      .join(),
  ).toContain('a\ufffd');
}, 180_000);
