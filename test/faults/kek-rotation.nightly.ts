import { expectRotationUnderKills } from './kek-rotation.scenario.ts';

it('a key rotation that is killed 50 times under load fails no read and loses no credential', async () => {
  await expectRotationUnderKills({ kills: 50, credentials: 2_000 });
}, 900_000);
