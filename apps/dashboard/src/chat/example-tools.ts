import type { PlaygroundTool } from './conversation.ts';

const verbs = ['get', 'list', 'create', 'update', 'delete'] as const;
const things: Readonly<Record<string, string>> = {
  weather: 'the weather of a city',
  flight: 'flights between two airports',
  hotel: 'hotels in a city',
  calendar_event: 'events of a calendar',
  email: 'e-mails of a mailbox',
  invoice: 'invoices of a customer',
  ticket: 'tickets of the support desk',
  repository: 'repositories of an organization',
};

/** Forty example tools for the playground, in the chat completions format. */
export function renderExampleTools(): string {
  const tools = Object.entries(things).flatMap(([thing, about]) =>
    verbs.map((verb) => ({
      type: 'function',
      function: {
        name: `${verb}_${thing}`,
        description: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${about}.`,
        parameters: {
          type: 'object',
          properties: { query: { type: 'string', description: `Which one: ${about}, in words` } },
          required: ['query'],
        },
      },
    })),
  );
  return JSON.stringify(tools, null, 2);
}

/** The tools of a typical agent, with name, description and parameters. */
const rows: readonly (readonly [name: string, description: string, ...parameters: string[]])[] = [
  ['star_repository', 'Stars a repository for the signed-in user', 'owner', 'repo'],
  ['create_issue', 'Opens a new issue in a repository', 'owner', 'repo', 'title', 'body'],
  ['list_issues', 'Lists the issues of a repository', 'owner', 'repo', 'state'],
  ['add_issue_comment', 'Adds a comment to an existing issue', 'owner', 'repo', 'issue_number', 'body'],
  [
    'create_pull_request',
    'Opens a pull request between two branches',
    'owner',
    'repo',
    'head',
    'base',
    'title',
  ],
  ['merge_pull_request', 'Merges an open pull request', 'owner', 'repo', 'pull_number', 'merge_method'],
  ['get_file_contents', 'Reads a file of a repository at a revision', 'owner', 'repo', 'path', 'ref'],
  ['search_code', 'Searches source code across repositories', 'query', 'language'],
  ['create_branch', 'Creates a branch from another one', 'owner', 'repo', 'branch', 'from_branch'],
  ['fork_repository', 'Forks a repository into an account', 'owner', 'repo', 'organization'],
  ['send_email', 'Sends an e-mail to one or more people', 'to', 'subject', 'body'],
  ['search_email', 'Finds e-mails by sender, subject or text', 'query', 'mailbox'],
  ['create_calendar_event', 'Adds an event to a calendar', 'title', 'start', 'end', 'attendees'],
  ['list_calendar_events', 'Lists the events of a day or a week', 'calendar', 'from', 'to'],
  ['get_weather', 'Returns the current weather of a place and a forecast', 'place', 'days'],
  ['convert_currency', 'Converts an amount from one currency into another', 'amount', 'from', 'to'],
  ['translate_text', 'Translates a text into another language', 'text', 'language'],
  ['search_flights', 'Finds flights between two airports', 'origin', 'destination', 'date'],
  ['book_hotel', 'Books a room in a hotel', 'hotel', 'check_in', 'check_out', 'guests'],
  ['get_stock_price', 'Reads the price of a share at an exchange', 'symbol', 'exchange'],
  ['query_database', 'Runs a read-only SQL query on the warehouse', 'sql', 'timeout_seconds'],
  ['create_invoice', 'Makes an invoice for a customer', 'customer', 'items', 'due_date'],
  ['refund_payment', 'Refunds a payment in whole or in part', 'payment', 'amount', 'reason'],
  ['create_support_ticket', 'Opens a support ticket for a customer', 'customer', 'subject', 'priority'],
  ['post_chat_message', 'Posts a message into a chat channel', 'channel', 'text'],
  ['upload_file', 'Uploads a file into a shared folder', 'folder', 'name', 'content'],
  ['resize_image', 'Scales a picture to a width and a height', 'image', 'width', 'height'],
  ['transcribe_audio', 'Transcribes a recording', 'recording', 'language'],
];

export const exampleTools: readonly PlaygroundTool[] = rows.map(([name, description, ...parameters]) => ({
  name,
  description,
  schema: {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [
        parameter,
        { type: 'string', description: `The ${parameter.replaceAll('_', ' ')}.` },
      ]),
    ),
    required: parameters.slice(0, 1),
  },
}));

export const exampleQuestion = 'Star the repository octo/hello for me';
