import { contractTable } from '@gateway/contracts';
import {
  renderKubernetesSecrets,
  type SecretManifest,
} from '../../tools/bootstrap/stack/kubernetes-secrets.ts';
import { natsUsers } from '../../tools/bootstrap/stack/nats-config.ts';
import { redisUsers } from '../../tools/bootstrap/stack/redis-acl.ts';

/** Renders the Kubernetes Secrets that `npm run k8s:prepare` writes, with readable passwords. */
export function renderDevSecrets(): SecretManifest[] {
  return renderKubernetesSecrets(
    {
      keyPepper: 'pepper',
      vaultKek: 'kek',
      sessionSecret: 'session',
      originalsKey: 'originals',
      contentKey: 'contents',
      demoPassword: 'demo',
      postgresAdmin: 'admin',
      redis: 'redis',
      redisUsers: Object.fromEntries(redisUsers.map((user) => [user, `password of ${user}`])),
      roles: { account: 'a', vault: 'v', billing: 'b', telemetry: 't' },
      natsUsers: Object.fromEntries(natsUsers.map((user) => [user, `password of ${user}`])),
    },
    contractTable,
  );
}
