import type { ClientHalf, WireFormat } from '../common/format.ts';
import { parseRequest } from './client/parse-request.ts';
import { parseError, parseResponse } from './provider/parse-response.ts';
import { openStreamParser } from './provider/parse-stream.ts';
import { renderRequest } from './provider/render-request.ts';

/** Cohere documents no rule for tool names, so the pattern allows only names that all other formats accept. */
const toolNamePattern = /^[\w-]{1,64}$/;

/** The format of Cohere's chat API, version 2. The gateway can also parse client requests in Cohere's format. */
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
