import { Readable } from 'node:stream';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';

/**
 * Creates an SDK client that calls a test server, which always returns the given response. Also returns a
 * function that counts the SDK's requests.
 */
export function sdkAnswered(answer: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}): { readonly sdk: BedrockRuntimeClient; readonly calls: () => number } {
  let calls = 0;
  const handle = () => {
    calls += 1;
    const { status: statusCode, headers, body } = answer;
    return Promise.resolve({
      response: { statusCode, headers: { ...headers }, body: Readable.from([body]) },
    });
  };
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  const sdk = new BedrockRuntimeClient({ region: 'us-east-1', credentials, requestHandler: { handle } });
  return { sdk, calls: () => calls };
}

/** Creates an SDK client that receives the given bytes as a successful response. */
export function sdkReading(body: Buffer, contentType: string): BedrockRuntimeClient {
  return sdkAnswered({
    status: 200,
    headers: { 'content-type': contentType, 'x-amzn-requestid': 'id' },
    body,
  }).sdk;
}
