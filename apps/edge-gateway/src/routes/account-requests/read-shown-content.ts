import { readContent, type ContentPart, type RequestDetail } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { unpackContent } from '../../pipeline/contents/content-keeper.ts';

/** What a request said, as far as it is kept. The rest of it is shown all the same while nobody answers. */
export async function readShownContent(
  accountId: string,
  requestId: string,
  messaging: Pick<Messaging, 'call'>,
): Promise<RequestDetail['content']> {
  try {
    const { content } = await messaging.call(readContent, { accountId, requestId });
    if (content === null) return null;
    const { request, answer } = await unpackContent(content.packed);
    return {
      request: renderPart(request),
      answer: answer && renderPart(answer),
      expires_at: content.expiresAt,
    };
  } catch {
    return null;
  }
}

function renderPart({ isCut, ...part }: ContentPart) {
  return { ...part, is_cut: isCut };
}
