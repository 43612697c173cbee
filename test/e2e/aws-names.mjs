/**
 * An edge of the test stack preloads this module. Connections to Amazon Bedrock reach a TLS server of the test instead.
 * The rest of the gateway is unchanged: it resolves the name, checks the address, and verifies the certificate.
 */
import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

const { TEST_AWS_PORT, TEST_AWS_CERTIFICATE } = process.env;
const { lookup } = dns;
const { connect } = tls;
const isBedrock = (host) => /^bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com$/.test(String(host));

dns.lookup = (hostname, options, callback) => {
  if (!isBedrock(hostname)) return lookup(hostname, options, callback);
  const found = { address: '127.0.0.1', family: 4 };
  process.nextTick(() => callback(null, options.all ? [found] : found.address, found.family));
  return undefined;
};

tls.connect = (options, ...rest) => {
  if (!isBedrock(options?.host)) return connect(options, ...rest);
  const ca = readFileSync(TEST_AWS_CERTIFICATE);
  return connect({ ...options, port: Number(TEST_AWS_PORT), servername: 'localhost', ca }, ...rest);
};

syncBuiltinESMExports();
