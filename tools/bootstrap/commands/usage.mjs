// This file runs on Node 18 and later before any packages are installed, so the file imports no modules.

const dataDirLine = '  --data-dir DIR   data directory of the stack; default: .data in this checkout';
const helpLine = '  -h, --help       print this text';

/** The help texts that `-- --help` prints, by command. */
export const usage = {
  start: `npm start [-- OPTIONS]

Sets up everything that is missing (packages, Postgres, Redis, NATS, databases), starts all services,
and prints the address of the gateway, a demo key and a first request.

  --detach         return when all services are healthy; they run in the background
${dataDirLine}
${helpLine}

Environment: LOG_FORMAT=pretty|json (default: pretty in a terminal), PORT, and the URLs of external servers
(docs/operations/running.md).

Other commands: npm run status, npm run logs, npm run stop.`,
  stop: `npm run stop [-- OPTIONS]

Stops the services and servers that \`npm start\` started.

${dataDirLine}
${helpLine}`,
  status: `npm run status [-- OPTIONS]

Prints each process of the stack with its health and address.
The exit code is 0 if all processes are healthy, otherwise 1.

  --json           print JSON
${dataDirLine}
${helpLine}`,
  logs: `npm run logs [-- OPTIONS] [SERVICE…]

Prints the last log lines of the named services (default: all), then new lines until Ctrl-C.

  --lines N        number of earlier lines for each service; default: 20
  --no-follow      exit after the earlier lines
${dataDirLine}
${helpLine}

Environment: LOG_FORMAT=pretty|json (default: pretty in a terminal).`,
};
