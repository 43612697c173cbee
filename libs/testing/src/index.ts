export { findFreePort, startNatsServer, type NatsServer } from './nats-server/start-nats-server.ts';
