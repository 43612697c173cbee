import type { ChatAnswer, JsonObject, PublicError } from '@gateway/interchange';
import type { AnswerDefaults, RenderedError } from '../../common/format.ts';
import { optional } from '../../json/read-members.ts';
import { createAnswerContext, renderContent } from '../shared/render-block.ts';
import { own } from '../shared/own-members.ts';
import { mapToStopReason, renderUsage } from '../shared/response-end.ts';
import { mapToException } from '../shared/exceptions.ts';

/**
 * Renders a non-streaming response. The Converse format has only one choice, so other choices are dropped.
 * Extensions from a provider that uses the Converse format are included.
 */
export function renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject {
  const { usage: rawUsage, ...members } = own.read(answer);
  const choice = answer.choices[0];
  const mapped = mapToStopReason(choice?.finishReason ?? 'other');
  return {
    output: {
      message: {
        role: 'assistant',
        content: renderContent(choice?.parts ?? [], createAnswerContext()),
        ...own.read({ extensions: choice?.messageExtensions ?? {} }),
      },
    },
    stopReason: answer.format === 'converse' ? (choice?.rawReason ?? mapped) : mapped,
    usage: rawUsage ?? renderUsage(answer.usage ?? { inputTokens: 0, outputTokens: 0 }),
    // The AWS SDK's types require metrics. An unknown latency is reported as 0.
    ...(answer.format === 'converse' ? {} : { metrics: { latencyMs: defaults.latencyMs ?? 0 } }),
    ...members,
  };
}

/** A nonstandard HTTP status that the AWS SDK does not recognize. */
const overloaded = 529;

/**
 * Renders an error in the shape that the AWS SDK expects. The error message is in the body, and the exception
 * name is in a header.
 */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status === overloaded ? 503 : error.status,
    headers: {
      'content-type': 'application/json',
      'x-amzn-errortype': mapToException(error),
      'x-amzn-requestid': requestId,
    },
    body: JSON.stringify({ message: error.message, ...optional('docs_url', error.docsUrl) }),
  };
}
