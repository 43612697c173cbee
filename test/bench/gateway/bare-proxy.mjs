// A minimal proxy, which is the baseline of the benchmark.
// The proxy receives requests with node:http, and forwards them with undici.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, providerUrl] = process.argv.slice(2);
const pool = new Pool(providerUrl, { connections: 256 });

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const answer = await pool.request({
      path: request.url,
      method: request.method,
      headers: { 'content-type': 'application/json', authorization: 'Bearer provider-key' },
      body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks),
    });
    response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
    answer.body.pipe(response);
  });
}).listen(Number(port), '127.0.0.1');
