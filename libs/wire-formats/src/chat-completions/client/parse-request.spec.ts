import { scanJson } from '../../json/scan-json.ts';
import { renderRequest } from '../provider/render-request.ts';
import { parseRequest } from './parse-request.ts';

describe('a request to be translated', () => {
  it('keeps every digit in schemas and unknown fields', () => {
    const parameters = '{"type":"object","properties":{"id":{"enum":[9007199254740993]}}}';
    const tools = `[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
    const body = `{"model":"m","messages":[],"tools":${tools},"seed":9223372036854775807}`;
    const parsed = parseRequest(scanJson(Buffer.from(body), { depthMax: 16 }));
    expect(JSON.stringify(parsed.tools)).toContain(parameters);
    expect(JSON.stringify(renderRequest(parsed, { model: 'm' }).body)).toContain(
      '"seed":9223372036854775807',
    );
  });
});
