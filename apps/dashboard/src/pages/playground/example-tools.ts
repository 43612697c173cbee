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

/** Forty tools to try things with, as chat completions writes them. */
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
