import { z } from 'zod';
import { dashboardSettings } from '../../dashboard/dashboard.ts';
import type { Operation } from '../../openapi/operation.ts';

export const goToDashboard: Operation = {
  id: 'goToDashboard',
  tag: 'Dashboard',
  summary: 'Lead a browser to the dashboard',
  answer: {
    status: 302,
    description: 'To `/dashboard/`.',
    contentType: 'text/plain',
    schema: z.string(),
    headers: { Location: '`/dashboard/`' },
  },
  errors: ['not_found'],
};

export const readDashboardSettings: Operation = {
  id: 'readDashboardSettings',
  tag: 'Dashboard',
  summary: 'Read how people sign in to the dashboard',
  answer: { status: 200, description: 'The settings.', schema: dashboardSettings },
};

export const openDashboardPage: Operation = {
  id: 'openDashboard',
  tag: 'Dashboard',
  summary: 'Open the dashboard',
  description: 'Leads to `/dashboard/`, with the slash.',
  answer: goToDashboard.answer,
  errors: ['not_found'],
};

export const readDashboardFile: Operation = {
  id: 'readDashboardFile',
  tag: 'Dashboard',
  summary: 'Read a page or a file of the dashboard',
  description:
    'An address that is no file is the page itself, whose own router goes on from there. Files under `assets/` never change under their names.',
  params: z.object({
    id: z.string().meta({ description: 'The path below `/dashboard/`. Slashes stand as they are.' }),
  }),
  answer: { status: 200, description: 'The file.', contentType: 'text/html', schema: z.string() },
  errors: ['not_found'],
};
