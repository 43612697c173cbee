import type { ClientFormat, ProviderFormat } from '@gateway/interchange';
import { chatCompletions } from './chat-completions/chat-completions.ts';
import { cohere } from './cohere/cohere.ts';
import { gemini } from './gemini/gemini.ts';
import { converse } from './converse/converse.ts';
import type { WireFormat, ClientWireFormat } from './common/format.ts';
import { messages } from './messages/messages.ts';

/** Every format, once. A format is added by its folder and its line here. */
const clientFormats: { readonly [Name in ClientFormat]?: ClientWireFormat } = {
  'chat-completions': chatCompletions,
  converse,
  messages,
};

const providerFormats: { readonly [Name in ProviderFormat]?: WireFormat } = {
  ...clientFormats,
  gemini,
  cohere,
};

/** @throws RangeError for a format that is not spoken here. */
export function formatNamed(name: ClientFormat): ClientWireFormat {
  return requireFormat(clientFormats[name], name);
}

/** @throws RangeError for a format that is not spoken here. */
export function providerFormatNamed(name: ProviderFormat): WireFormat {
  return requireFormat(providerFormats[name], name);
}

function requireFormat<Format>(format: Format | undefined, name: string): Format {
  if (format === undefined) throw new RangeError(`the format ${name} is not spoken here`);
  return format;
}
