import type { ToolLists } from '../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { endpoints, RequestWriter, type Endpoint } from './tool-lists/evasive-requests.ts';
import { readAnswer } from './tool-lists/client-readings.ts';
import { findForbidden, lists } from './tool-lists/lists.ts';
import { forwardedBytes, relayedBytes } from './tool-lists/pipeline.ts';
import { writeAnswer } from './tool-lists/provider-answers.ts';
import { Random } from './tool-lists/random.ts';
import { toolsSeen } from './tool-lists/server-readings.ts';

/** The number of cases per endpoint. A fixed seed makes failures reproducible. */
const requestsEach = 10_000;
const answersEach = 10_000;
const seed = 16;

const unlisted: ToolLists = { allowedTools: null, deniedTools: null };

function countCases(endpoint: Endpoint) {
  const random = new Random(seed + endpoints.indexOf(endpoint));
  const writer = new RequestWriter(random);
  const counts = { sent: 0, refused: 0, withDenied: 0 };
  for (let at = 0; at < requestsEach; at += 1) {
    const body = writer.write(endpoint);
    const list = random.pick(lists);
    const sent = forwardedBytes(endpoint, body, list);
    if (typeof sent === 'string') {
      counts.refused += 1;
      continue;
    }
    counts.sent += 1;
    for (const bytes of sent) {
      const leak = findForbidden(toolsSeen(bytes), list);
      if (leak !== undefined)
        throw new Error(
          `case ${at}: "${leak}" is in ${bytes.toString('utf8')}, from ${body.toString('utf8')}`,
        );
    }
    const [plain] = forwardedBytes(endpoint, body, unlisted);
    if (plain instanceof Buffer && findForbidden(toolsSeen(plain), list) !== undefined)
      counts.withDenied += 1;
  }
  return counts;
}

describe.each(endpoints)('tool lists on %s', (endpoint) => {
  test(`no parser finds a denied tool in ${requestsEach} evasive requests`, () => {
    const counts = countCases(endpoint);
    console.log(`${endpoint}: ${requestsEach} requests, ${JSON.stringify(counts)}`);
    // The cases include both forwarded and rejected requests.
    // If the API key had no denied tools, some forwarded requests would contain a denied tool.
    expect(counts.sent).toBeGreaterThan(requestsEach / 5);
    expect(counts.refused).toBeGreaterThan(requestsEach / 20);
    expect(counts.withDenied).toBeGreaterThan(requestsEach / 10);
  }, 300_000);

  test(`no client receives a call to a denied tool in ${answersEach} answers, plain and streamed`, async () => {
    const random = new Random(seed * 100 + endpoints.indexOf(endpoint));
    const counts = { plain: 0, streamed: 0, withDenied: 0, delivered: 0 };
    for (let at = 0; at < answersEach; at += 1) {
      const isStream = at % 2 === 1;
      const answer = writeAnswer(random, endpoint, isStream);
      const list = random.pick(lists);
      const relayed = await relayedBytes(random, endpoint, answer, list);
      const read = readAnswer(endpoint, relayed.bytes, isStream);
      const leak = findForbidden(read.called, list);
      const shown = `${relayed.bytes.toString('utf8')}, from ${answer.bytes.toString('utf8')}`;
      if (leak !== undefined) throw new Error(`case ${at}: "${leak}" is called in ${shown}`);
      if (!read.isComplete && at > 0 && readAnswer(endpoint, answer.bytes, isStream).isComplete)
        throw new Error(`case ${at}: the response has no end: ${shown}`);
      const offered = readAnswer(endpoint, answer.bytes, isStream).called;
      if (findForbidden(offered, list) !== undefined) {
        counts.withDenied += 1;
        // If a tool name arrives in several pieces, the client receives only the first piece.
        const isJoined = isStream && endpoint === 'chat-completions';
        if (relayed.denied.length === 0 && !isJoined)
          throw new Error(`case ${at}: the denied call was not recorded: ${shown}`);
      }
      counts.delivered += read.called.length;
      counts[isStream ? 'streamed' : 'plain'] += 1;
    }
    console.log(`${endpoint}: ${answersEach} answers, ${JSON.stringify(counts)}`);
    expect(counts.withDenied).toBeGreaterThan(answersEach / 5);
    expect(counts.delivered).toBeGreaterThan(answersEach / 20);
  }, 300_000);
});
