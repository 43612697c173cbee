import { GatewayError } from '@gateway/errors';
import { Controller, Get, Header, Inject, Optional, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  DASHBOARD,
  dashboardSettings,
  type Dashboard,
  type DashboardSettings,
} from '../../dashboard/dashboard.ts';
import { sendFile } from '../../static-files/render-file.ts';
import { IdentityClient } from '../../login-sessions/identity-client.ts';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';

const goToDashboard: Operation = {
  id: 'goToDashboard',
  tag: 'Dashboard',
  summary: 'Redirect a browser to the dashboard',
  answer: {
    status: 302,
    description: 'Redirects to `/dashboard/`.',
    contentType: 'text/plain',
    schema: z.string(),
    headers: { Location: '`/dashboard/`' },
  },
  errors: ['not_found'],
};

const goToSignIn: Operation = {
  id: 'goToSignIn',
  tag: 'Dashboard',
  summary: 'Redirect a browser to the sign-in page',
  description: 'Redirects to `/dashboard/sign-in`.',
  answer: {
    ...goToDashboard.answer,
    description: 'Redirects to `/dashboard/sign-in`.',
    headers: { Location: '`/dashboard/sign-in`' },
  },
  errors: ['not_found'],
};

const readDashboardSettings: Operation = {
  id: 'readDashboardSettings',
  tag: 'Dashboard',
  summary: 'Read the sign-in settings of the dashboard',
  answer: { status: 200, description: 'The settings.', schema: dashboardSettings },
};

const openDashboardPage: Operation = {
  id: 'openDashboard',
  tag: 'Dashboard',
  summary: 'Open the dashboard',
  description: 'Redirects to `/dashboard/` with the trailing slash.',
  answer: goToDashboard.answer,
  errors: ['not_found'],
};

const readDashboardFile: Operation = {
  id: 'readDashboardFile',
  tag: 'Dashboard',
  summary: 'Read a page or a file of the dashboard',
  description:
    'A path without a file returns the page, and its router shows the view. Files under `assets/` have a hash of their content in their names and never change.',
  params: z.object({
    id: z.string().meta({
      description: 'The path below `/dashboard/`, with unencoded slashes.',
      examples: ['overview'],
    }),
  }),
  answer: { status: 200, description: 'The file.', contentType: 'text/html', schema: z.string() },
  errors: ['not_found'],
};

const home = '/dashboard/';

/**
 * Serves the dashboard's files below `/dashboard`. The dashboard's pages load their data from the account
 * routes.
 */
@Controller()
@AllowAccess('public')
export class DashboardRoute {
  readonly #dashboard: Dashboard;
  readonly #identity: IdentityClient | null;

  constructor(
    @Inject(DASHBOARD) dashboard: Dashboard,
    @Optional() @Inject(IdentityClient) identity: IdentityClient | null = null,
  ) {
    this.#dashboard = dashboard;
    this.#identity = identity;
  }

  @Get('/')
  @Describe(goToDashboard)
  goTo(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.#redirect(reply);
  }

  @Get('/login')
  @Describe(goToSignIn)
  signIn(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.#redirect(reply, `${home}sign-in`);
  }

  @Get('/dashboard')
  @Describe(openDashboardPage)
  open(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.#redirect(reply);
  }

  @Get('/dashboard/config.json')
  @Describe(readDashboardSettings)
  @Header('cache-control', 'no-store')
  async readSettings(): Promise<DashboardSettings> {
    const { settings } = this.#dashboard;
    if (this.#identity === null || settings.sign_in.kind !== 'embedded') return settings;
    // Users can still sign in if the email setting cannot be read.
    // Without the email setting, the dashboard refers users with a forgotten password to the operator.
    const read = await this.#identity.settings().catch(() => ({ sendsMail: false }));
    return { ...settings, sign_in: { kind: 'embedded', sends_mail: read.sendsMail } };
  }

  @Get('/dashboard/*')
  @Describe(readDashboardFile)
  readFile(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    const path = (request.params as Record<string, string>)['*'] ?? '';
    const { files, policy } = this.#dashboard;
    return sendFile(files.choose(path), policy, request, reply);
  }

  /** Redirects to a page of the dashboard. Throws `not_found` if the gateway was deployed without a built dashboard. */
  #redirect(reply: FastifyReply, to: string = home): string {
    if (!this.#dashboard.files.find('index.html')) throw new GatewayError('not_found');
    void reply.status(302).header('location', to).header('content-type', 'text/plain; charset=utf-8');
    return to;
  }
}
