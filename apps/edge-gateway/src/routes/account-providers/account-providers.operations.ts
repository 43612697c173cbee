import {
  deletedProvider,
  providerConnection,
  providerConnectionList,
  putProviderBody,
} from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

export const listProviders: Operation = {
  id: 'listProviders',
  tag: 'Providers',
  summary: 'List the providers, and which of them are connected',
  answer: {
    status: 200,
    description: 'Every provider that can be called. No credential ever comes out.',
    schema: providerConnectionList,
  },
};

export const putProvider: Operation = {
  id: 'putProvider',
  tag: 'Providers',
  summary: 'Connect a provider, or replace its credential',
  description:
    'The credential is stored encrypted, and sent to nobody but the host that it was saved for. With `additional_api_keys` calls are spread over several keys of the provider: one that is throttled, refused or failing is left alone while another is well.',
  body: { schema: putProviderBody },
  answer: { status: 200, description: 'The provider as it is now.', schema: providerConnection },
  errors: ['egress_denied'],
};

export const deleteProvider: Operation = {
  id: 'deleteProvider',
  tag: 'Providers',
  summary: 'Delete the stored credential of a provider',
  params: z.object({ provider: z.string().meta({ description: 'The provider’s name: `openai`.' }) }),
  answer: { status: 200, description: 'It is deleted.', schema: deletedProvider },
};
