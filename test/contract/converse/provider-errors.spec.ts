import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRecordings, type Recording } from '@gateway/testing';
import { bodyOf, checkEvery } from '../check-every.ts';
import { apis, client, provider } from './exchange.ts';

const folder = findRecordings(process.env['DATA_DIR']);

function headersOf({ meta_file: file }: Recording): Record<string, string> {
  if (file === null || folder === undefined) return {};
  const meta = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    response_headers?: Record<string, string>;
  };
  return meta.response_headers ?? {};
}

for (const api of apis) {
  checkEvery(
    'provider error parsed and rendered',
    api,
    (recording) => recording.status >= 400,
    (recording) => {
      const body = bodyOf(recording, 'response').toString();
      const headers = headersOf(recording);
      const error = provider.parseError(recording.status, body, headers);
      const { message } = JSON.parse(body) as { message: string };
      expect(error.message).toBe(message);
      expect(error.type).toMatch(/_error$/);
      const rendered = client.renderError({ ...error, status: recording.status, source: 'provider' }, 'id-1');
      expect(rendered.status).toBe(recording.status);
      expect(JSON.parse(rendered.body)).toEqual({ message });
      expect(rendered.headers['x-amzn-errortype']).toMatch(/^[A-Z][A-Za-z]+Exception$/);
      const told = headers['x-amzn-errortype']?.split(':')[0];
      if (told !== undefined) expect(rendered.headers['x-amzn-errortype']).toBe(told);
    },
  );
}
