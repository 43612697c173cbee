import { chooseLogFormat, renderPrettyLine } from './log-format.ts';

const line = JSON.stringify({
  level: 'warn',
  time: '2026-11-23T17:35:08.416Z',
  service: 'edge-gateway',
  instance_id: 'i',
  status: 'ok',
  ms: { total: 139.5 },
  detail: 'two words',
  msg: 'request',
});

test('a JSON line becomes time, level, message and fields', () => {
  expect(renderPrettyLine(line, false)).toBe(
    '17:35:08.416 WARN  request status=ok ms={"total":139.5} detail="two words"',
  );
  expect(renderPrettyLine(line, true)).toContain('\u001b[33mWARN \u001b[0m');
});

test.each(['LOG:  database system is ready', '{"level":', ''])('other text stays unchanged: %j', (text) => {
  expect(renderPrettyLine(text, true)).toBe(text);
});

test('a terminal receives readable lines, and other outputs receive JSON, unless LOG_FORMAT is set', () => {
  expect([chooseLogFormat(undefined, true), chooseLogFormat('', false)]).toEqual(['pretty', 'json']);
  expect([chooseLogFormat('json', true), chooseLogFormat('pretty', false)]).toEqual(['json', 'pretty']);
  expect(() => chooseLogFormat('text', true)).toThrow('Use pretty or json');
});
