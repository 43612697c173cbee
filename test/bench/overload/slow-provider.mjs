// A test provider that takes a fixed time for each response, whatever the load.
// The first command-line argument is the response time in milliseconds. The script prints its port.
import { createServer } from 'node:http';

const answerMs = Number(process.argv[2]);
const body = JSON.stringify({
  ...{ id: 'chatcmpl-bench', object: 'chat.completion', created: 1_790_000_000, model: 'gpt-4o-mini' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
});
const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };

const server = createServer((request, response) => {
  request.resume();
  setTimeout(() => response.writeHead(200, headers).end(body), answerMs);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
