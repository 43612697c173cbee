import type { ClientHalf, WireFormat } from '../common/format.ts';
import { parseRequest } from './client/parse-request.ts';
import { parseError, parseResponse } from './provider/parse-response.ts';
import { openStreamParser } from './provider/parse-stream.ts';
import { renderRequest } from './provider/render-request.ts';

/** Cohere's reference says nothing of names; these are taken everywhere else. */
const toolNamePattern = /^[\w-]{1,64}$/;

/** Cohere's chat, version 2. Its requests can be read too. */
export const cohere: WireFormat<'cohere'> & Pick<ClientHalf, 'parseRequest'> = {
  name: 'cohere',
  spellings: ['spelling'],
  provider: {
    toolNamePattern,
    finishedReason: 'COMPLETE',
    renderRequest,
    parseResponse,
    openStreamParser,
    parseError,
  },
  parseRequest,
};
