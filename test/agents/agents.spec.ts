/**
 * Compares published agents that use the gateway with the same agents on a direct provider connection. Each
 * agent runs with its guide's configuration and calls a scripted model in two turns. The second turn resumes
 * the session in a new process.
 */
import { testSubjects } from './compare-sessions.fixture.ts';

testSubjects([
  { name: 'codex', format: 'responses', servers: true },
  { name: 'continue', format: 'chat-completions', servers: true },
  { name: 'continue', format: 'messages', servers: true },
  { name: 'pi', format: 'messages' },
  { name: 'qwen-code', format: 'chat-completions', servers: true },
  { name: 'strands', format: 'chat-completions', servers: true },
]);
