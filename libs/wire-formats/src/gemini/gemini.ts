import type { ClientHalf, WireFormat } from '../common/format.ts';
import { parseRequest } from './client/parse-request.ts';
import { parseError } from './provider/parse-error.ts';
import { parseResponse, openStreamParser } from './provider/parse-response.ts';
import { renderRequest } from './provider/render-request.ts';

/**
 * Pattern for function names, from `FunctionDeclaration.name` in Gemini's API reference. The maximum is 64
 * characters, or 128 characters in newer versions.
 */
const toolNamePattern = /^[\w.:-]{1,64}$/;

/**
 * Google's `generateContent` and `streamGenerateContent` methods, in the Gemini API and Vertex AI. The
 * gateway can also parse client requests in the Gemini format.
 */
export const gemini: WireFormat<'gemini'> & Pick<ClientHalf, 'parseRequest'> = {
  name: 'gemini',
  spellings: ['spelling'],
  provider: {
    toolNamePattern,
    finishedReason: 'STOP',
    renderRequest,
    parseResponse,
    openStreamParser,
    parseError,
  },
  parseRequest,
};
