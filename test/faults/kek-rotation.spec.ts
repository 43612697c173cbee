import { expectRotationUnderKills } from './kek-rotation.scenario.ts';

it('a key rotation that is killed 5 times under load fails no read and loses no credential', async () => {
  await expectRotationUnderKills({ kills: 5, credentials: 200 });
}, 120_000);
