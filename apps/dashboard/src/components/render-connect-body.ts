/** Form fields, by their names in the API. The field `service_account` contains the content of a key file. */
export type ConnectFields = Readonly<Partial<Record<string, string>>>;

const textFields = [
  'api_key',
  'base_url',
  'region',
  'project',
  'api_version',
  'access_key_id',
  'secret_access_key',
  'session_token',
] as const;

interface ServiceAccount {
  readonly type: 'service_account';
  readonly project_id?: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
}

type ConnectBody = { provider: string; additional_api_keys?: string[]; service_account?: ServiceAccount } & {
  [Field in (typeof textFields)[number]]?: string;
};

interface FieldGroup {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The fields of the form, in the order in which the form shows them. */
interface FieldChoice {
  readonly names: readonly string[];
  readonly required: readonly string[];
}

/**
 * Chooses the fields that the form shows. If the provider accepts several kinds of credentials, the form shows the
 * fields of the chosen kind, and the fields that belong to no kind.
 */
export function chooseFields(
  { required, optional, one_of: groups }: FieldGroup & { readonly one_of?: readonly FieldGroup[] },
  chosen: number,
): FieldChoice {
  const group = groups?.[chosen];
  if (groups === undefined || group === undefined) {
    // A provider that needs a credential with several parts allows only one provider key.
    const hasMore = required.includes('api_key') && !required.includes('base_url');
    return { required, names: [...required, ...optional, ...(hasMore ? ['additional_api_keys'] : [])] };
  }
  const grouped = groups.flatMap((each) => [...each.required, ...each.optional]);
  const shared = optional.filter((name) => !grouped.includes(name));
  return { required: group.required, names: [...group.required, ...group.optional, ...shared] };
}

/**
 * Renders the request body that connects a provider. The body contains the fields that were filled in, and
 * the accepted fields of the key file. Fields that the form does not show are left out. Throws an error if the
 * key file is not JSON.
 */
export function renderConnectBody(
  provider: string,
  filledIn: ConnectFields,
  shown: readonly string[],
): ConnectBody {
  const fields = Object.fromEntries(Object.entries(filledIn).filter(([name]) => shown.includes(name)));
  const given = textFields.flatMap((name): [string, string][] => {
    const value = fields[name]?.trim();
    return value ? [[name, value]] : [];
  });
  const more = (fields['additional_api_keys'] ?? '').split('\n').flatMap((line) => line.trim() || []);
  const account = fields['service_account']?.trim();
  return {
    provider,
    ...(Object.fromEntries(given) as Pick<ConnectBody, (typeof textFields)[number]>),
    ...(more.length > 0 ? { additional_api_keys: more } : {}),
    ...(account ? { service_account: parseServiceAccount(account) } : {}),
  };
}

function parseServiceAccount(text: string): ServiceAccount {
  let parsed: Partial<ServiceAccount>;
  try {
    parsed = JSON.parse(text) as Partial<ServiceAccount>;
  } catch {
    throw new Error('The service account is not JSON. Paste the full key file as you downloaded it.');
  }
  const { project_id, private_key_id = '', private_key = '', client_email = '' } = parsed;
  return {
    type: 'service_account',
    ...(project_id === undefined ? {} : { project_id }),
    private_key_id,
    private_key,
    client_email,
  };
}
