import { createHostedCredential, renderHostedCredential, type HostedFields } from '@gateway/providers';
import { readCloudFields, type CloudField, type JsonTape } from '@gateway/wire-formats';

/** How a body writes what a credential is made of. */
const names: Readonly<Record<keyof HostedFields, CloudField>> = {
  api_key: 'cloud_bearer_token_hosted',
  access_key_id: 'cloud_access_key_id',
  secret_access_key: 'cloud_secret_access_key',
  session_token: 'cloud_session_token',
  region: 'cloud_region_name',
};

/**
 * The credential of the hosted service that a caller put into the body (`cloud_*`), as the vault would keep it. A secret.
 * Null without one.
 *
 * @throws GatewayError `missing_field`, `invalid_field`
 */
export function readOwnCredential(tape: JsonTape): string | null {
  const fields = readCloudFields(tape);
  if (Object.keys(fields).length === 0) return null;
  const credential = createHostedCredential(
    {
      api_key: fields.cloud_bearer_token_hosted,
      access_key_id: fields.cloud_access_key_id,
      secret_access_key: fields.cloud_secret_access_key,
      session_token: fields.cloud_session_token,
      region: fields.cloud_region_name,
    },
    (field) => names[field],
  );
  return renderHostedCredential(credential);
}
