import { GatewayError } from '@gateway/errors';
import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dashboard, DashboardSettings } from '../../dashboard/dashboard.ts';
import { renderFile } from '../../dashboard/render-file.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { tokens } from '../../tokens.ts';
import {
  goToDashboard,
  openDashboardPage,
  readDashboardFile,
  readDashboardSettings,
} from './dashboard.operations.ts';

const home = '/dashboard/';

/** `/dashboard`: the pages that people look at. What they show, they ask the account routes for. */
@Controller()
@AllowAccess('public')
export class DashboardRoute {
  readonly #dashboard: Dashboard;

  constructor(@Inject(tokens.dashboard) dashboard: Dashboard) {
    this.#dashboard = dashboard;
  }

  @Get('/')
  @Describe(goToDashboard)
  goTo(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.#redirect(reply);
  }

  @Get('/dashboard')
  @Describe(openDashboardPage)
  open(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.#redirect(reply);
  }

  @Get('/dashboard/config.json')
  @Describe(readDashboardSettings)
  @Header('cache-control', 'no-store')
  readSettings(): DashboardSettings {
    return this.#dashboard.settings;
  }

  @Get('/dashboard/*')
  @Describe(readDashboardFile)
  readFile(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    const path = (request.params as Record<string, string>)['*'] ?? '';
    const { files, policy } = this.#dashboard;
    const file = files.choose(path);
    if (!file) throw new GatewayError('not_found');
    const { headers } = request;
    const answer = renderFile(file, {
      acceptEncoding: [headers['accept-encoding'] ?? ''].flat().join(','),
      ifNoneMatch: headers['if-none-match'] ?? '',
      policy,
    });
    void reply.status(answer.status).headers(answer.headers);
    return answer.body;
  }

  /** An edge without a built dashboard has no page to lead to. */
  #redirect(reply: FastifyReply): string {
    if (!this.#dashboard.files.find('index.html')) throw new GatewayError('not_found');
    void reply.status(302).header('location', home).header('content-type', 'text/plain; charset=utf-8');
    return home;
  }
}
