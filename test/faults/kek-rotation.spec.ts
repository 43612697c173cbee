import { expectRotationUnderKills } from './kek-rotation.scenario.ts';

it('a key rotation under load that is killed 5 times fails no read and loses no credential', async () => {
  await expectRotationUnderKills({ kills: 5, credentials: 200 });
}, 120_000);
