/** An example call in one language, in the form of the extension `x-code-samples` of OpenAPI documents. */
export interface CodeSample {
  readonly lang: 'shell' | 'typescript' | 'python';
  readonly label: string;
  readonly source: string;
}

/** The example call of an operation. */
export interface ExampleCall {
  readonly method: string;
  /** The path with example values in place of its parameters. */
  readonly path: string;
  /** The names of the security schemes that the operation accepts. The first scheme is used. */
  readonly schemes: readonly string[];
  /** Undefined if the operation takes no body. */
  readonly body?: { readonly mediaType: string; readonly example: unknown } | undefined;
  /** Whether the successful response is a JSON document. Other responses are read as bytes. */
  readonly isJson: boolean;
}

/** The header and the environment variable of each security scheme. */
const credentials: Readonly<Record<string, { readonly header: string; readonly variable: string }>> = {
  apiKey: { header: 'Authorization', variable: 'KEY' },
  apiKeyHeader: { header: 'Authorization', variable: 'KEY' },
  session: { header: 'Authorization', variable: 'SESSION_TOKEN' },
};

/**
 * Renders an example call in curl, TypeScript and Python. The variable `BASE` is the address of the gateway, and
 * `KEY` is an API key, as in the quick start. The Python sample needs the package `requests`.
 */
export function renderCodeSamples(call: ExampleCall): readonly CodeSample[] {
  return [
    { lang: 'shell', label: 'curl', source: renderCurl(call) },
    { lang: 'typescript', label: 'TypeScript', source: renderTypeScript(call) },
    { lang: 'python', label: 'Python', source: renderPython(call) },
  ];
}

const credentialOf = ({ schemes }: ExampleCall) => credentials[schemes[0] ?? ''];
const isForm = ({ body }: ExampleCall) => body?.mediaType === 'multipart/form-data';

/** The fields of an example form, as text. A value such as `@photo.png` names a file, as in curl. */
const fieldsOf = ({ body }: ExampleCall): readonly (readonly [name: string, value: string])[] =>
  Object.entries((body?.example ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);

const quoteShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** With `-X HEAD`, curl would wait for a body. */
const curlMethod = (method: string): string =>
  method === 'GET' ? '' : method === 'HEAD' ? '-I ' : `-X ${method} `;

function renderCurl(call: ExampleCall): string {
  const { method, path, body } = call;
  const credential = credentialOf(call);
  const parts = [
    `curl ${curlMethod(method)}"$BASE${path}"`,
    ...(credential === undefined ? [] : [`-H "${credential.header}: Bearer $${credential.variable}"`]),
  ];
  if (isForm(call))
    parts.push(...fieldsOf(call).map(([name, value]) => `-F ${quoteShell(`${name}=${value}`)}`));
  else if (body !== undefined)
    parts.push(`-H 'Content-Type: ${body.mediaType}'`, `-d ${quoteShell(JSON.stringify(body.example))}`);
  return parts.join(' \\\n  ');
}

/** Renders a JSON value over several lines, indented for its place in the sample. */
const renderValue = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);

function renderTypeScript(call: ExampleCall): string {
  const { method, path, body } = call;
  const credential = credentialOf(call);
  const headers = [
    ...(credential === undefined
      ? []
      : [`${credential.header.toLowerCase()}: \`Bearer \${process.env.${credential.variable}}\``]),
    ...(body === undefined || isForm(call) ? [] : [`'content-type': '${body.mediaType}'`]),
  ];
  const form = [
    "import { openAsBlob } from 'node:fs';",
    '',
    'const form = new FormData();',
    ...fieldsOf(call).map(renderFormField),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },\n`]),
    ...(isForm(call) ? ['  body: form,\n'] : []),
    ...(body === undefined || isForm(call)
      ? []
      : [`  body: JSON.stringify(${renderValue(body.example, '  ')}),\n`]),
  ].join('');
  const lines = [
    ...(isForm(call) ? form : []),
    `const response = await fetch(\`\${process.env.BASE}${path}\`${options === '' ? '' : `, {\n${options}}`});`,
    call.isJson ? 'console.log(await response.json());' : 'console.log((await response.bytes()).length);',
  ];
  return lines.join('\n');
}

function renderPython(call: ExampleCall): string {
  const { method, path, body } = call;
  const credential = credentialOf(call);
  const lines = [
    'import os, requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    os.environ["BASE"] + ${JSON.stringify(path)},`,
    ...(credential === undefined
      ? []
      : [`    headers={"${credential.header}": "Bearer " + os.environ["${credential.variable}"]},`]),
    ...(isForm(call) ? [`    files={${fieldsOf(call).map(renderPythonField).join(', ')}},`] : []),
    ...(body === undefined || isForm(call) ? [] : [`    json=${renderPythonValue(body.example, '    ')},`]),
    ')',
    call.isJson ? 'print(response.json())' : 'print(len(response.content))',
  ];
  return lines.join('\n');
}

const renderFormField = ([name, value]: readonly [string, string]): string =>
  value.startsWith('@')
    ? `form.set('${name}', await openAsBlob('${value.slice(1)}'), '${value.slice(1)}');`
    : `form.set('${name}', ${JSON.stringify(value)});`;

const renderPythonField = ([name, value]: readonly [string, string]): string =>
  value.startsWith('@')
    ? `"${name}": open("${value.slice(1)}", "rb")`
    : `"${name}": (None, ${JSON.stringify(value)})`;

/** Renders a JSON value as a Python literal. */
function renderPythonValue(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((each) => renderPythonValue(each, inner))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}: ${renderPythonValue(each, inner)}`,
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return entries.length === 0
    ? `${open}${close}`
    : `${open}\n${entries.map((each) => `${inner}${each},\n`).join('')}${indent}${close}`;
}
