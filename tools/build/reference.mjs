// The script of the API reference at `/docs`. Shows `/openapi.json` with the element of the package openapi-explorer.
import 'openapi-explorer/dist/browser/openapi-explorer.min.js';

const { document, location } = globalThis;
const dark = globalThis.matchMedia('(prefers-color-scheme: dark)');

/** The colors of the dashboard, by color scheme. */
const colors = {
  light: {
    'bg-color': '#ffffff',
    'text-color': '#1a1f2b',
    'nav-bg-color': '#f7f8fb',
    'nav-text-color': '#1a1f2b',
  },
  dark: {
    'bg-color': '#14171f',
    'text-color': '#e6e9f0',
    'nav-bg-color': '#1b1f2a',
    'nav-text-color': '#e6e9f0',
  },
};

function show() {
  const element = document.createElement('openapi-explorer');
  const attributes = {
    'spec-url': '/openapi.json',
    'server-url': location.origin,
    'hide-server-selection': 'true',
    'use-path-in-nav-bar': 'true',
    collapse: 'true',
    'default-schema-tab': 'body',
    'primary-color': dark.matches ? '#8ea2ff' : '#2f47bd',
    'secondary-color': dark.matches ? '#8ea2ff' : '#2f47bd',
    ...colors[dark.matches ? 'dark' : 'light'],
  };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.querySelector('openapi-explorer')?.remove();
  document.body.append(element);
}

dark.addEventListener('change', show);
show();
