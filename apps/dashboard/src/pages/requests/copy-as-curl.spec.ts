import { execFileSync } from 'node:child_process';
import { renderCurl } from './copy-as-curl.ts';

const request = {
  endpoint: '/v1/chat/completions',
  format: 'chat-completions',
  model: 'gpt-4o-mini',
  requested_model: 'openai/gpt-4o-mini',
  stream: true,
  session_id: null,
};

it('renders the curl command with the API key from a shell variable', () => {
  expect(renderCurl(request, 'http://localhost:1')).toBe(
    `curl -N 'http://localhost:1/v1/chat/completions' \\
  -H "Authorization: Bearer $SVC_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"openai/gpt-4o-mini","messages":[{"role":"user","content":"Your message"}],"stream":true}'`,
  );
});

it('puts the model into the path of the converse format', () => {
  const converse = { ...request, endpoint: '/model/{id}/converse', format: 'converse', stream: false };
  expect(renderCurl(converse, '')).toContain('/model/openai%2Fgpt-4o-mini/converse');
});

it('does not execute text from a client', () => {
  const evil = `'; touch /tmp/owned; echo '$(touch /tmp/owned) \`touch /tmp/owned\``;
  const line = renderCurl({ ...request, session_id: evil, requested_model: evil }, 'http://x');
  const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], { encoding: 'utf8' });
  expect(shown).toContain(`X-Svc-Session-Id: ${evil}`);
});
