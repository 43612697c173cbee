import { expectRotationUnderKills } from './kek-rotation.scenario.ts';

it('a key rotation under load that is killed 50 times fails no read and loses no credential', async () => {
  await expectRotationUnderKills({ kills: 50, credentials: 2_000 });
}, 900_000);
