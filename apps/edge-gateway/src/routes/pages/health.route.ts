import { Controller, Get, Head, Header, HttpCode } from '@nestjs/common';
import { z } from 'zod';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';

const live = z.object({
  status: z.literal('live').meta({ description: 'Always `live`.', examples: ['live'] }),
});
const ready = z.object({
  status: z.literal('ready').meta({ description: 'Always `ready`.', examples: ['ready'] }),
});

const readLiveness: Operation = {
  id: 'readLiveness',
  tag: 'Health',
  summary: 'Check that the gateway process runs',
  answer: { status: 200, description: 'The process runs.', schema: live },
};

const readReadiness: Operation = {
  id: 'readReadiness',
  tag: 'Health',
  summary: 'Check that the gateway accepts requests',
  description:
    'A gateway that shuts down responds with 503. The same path on the private health port also lists the state of each dependency.',
  answer: { status: 200, description: 'The gateway accepts requests.', schema: ready },
};

/**
 * Serves `GET /health/live` and `GET /health/ready` on the public port, for load balancers that cannot reach the
 * private health port. The responses never change. The gateway listens only after its start is complete, and Fastify
 * responds with 503 during the shutdown.
 */
@Controller()
@AllowAccess('public')
export class HealthRoute {
  @Get('/health/live')
  @Describe(readLiveness)
  @Header('cache-control', 'no-store')
  readLiveness(): z.output<typeof live> {
    return { status: 'live' };
  }

  @Get('/health/ready')
  @Describe(readReadiness)
  @Header('cache-control', 'no-store')
  readReadiness(): z.output<typeof ready> {
    return { status: 'ready' };
  }
}

const readHello: Operation = {
  id: 'readHello',
  tag: 'Health',
  summary: 'Check that a client reaches the gateway',
  description: 'Claude Code calls this path at its start. The response has no body.',
  answer: {
    ...{ status: 200, description: 'The gateway is reachable.' },
    ...{ contentType: 'text/plain', schema: z.literal('') },
  },
};

/** Serves `HEAD /api/hello`, with which Claude Code checks its connection. */
@Controller('/api')
@AllowAccess('public')
export class HelloRoute {
  @Head('hello')
  @HttpCode(200)
  @Describe(readHello)
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', 'no-store')
  readHello(): void {
    // The response consists only of the status line and headers.
  }
}
