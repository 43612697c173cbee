import {
  deletedProvider,
  providerConnection,
  providerConnectionList,
  putProviderBody,
} from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Providers';

export const listProviders: Operation = {
  id: 'listProviders',
  tag,
  summary: 'List the providers and which of them are connected',
  answer: {
    status: 200,
    description: 'Every provider that the gateway can call. Credentials are never returned.',
    schema: providerConnectionList,
  },
};

export const putProvider: Operation = {
  id: 'putProvider',
  tag,
  summary: 'Connect a provider, or replace its credential',
  description:
    'The credential is stored encrypted and sent only to the host that it was saved for. Before storing the credential, the gateway checks it with a free call that takes at most three seconds. The credential is stored whatever the outcome: `verified` shows whether the provider accepted it, and `last_error` explains a failed check. With `additional_api_keys`, calls are distributed over several keys of the provider. A key that is throttled, rejected or failing is not used while another key works.',
  body: { schema: putProviderBody },
  answer: { status: 200, description: 'The connected provider.', schema: providerConnection },
  errors: ['egress_denied'],
};

export const deleteProvider: Operation = {
  id: 'deleteProvider',
  tag,
  summary: 'Delete the stored credential of a provider',
  params: z.object({
    provider: z.string().meta({ description: 'The provider’s name, for example `openai`.' }),
  }),
  answer: { status: 200, description: 'The credential is deleted.', schema: deletedProvider },
};
