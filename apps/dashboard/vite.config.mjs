import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The address of a running gateway for `npx vite apps/dashboard`. */
const gateway = process.env.GATEWAY_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react()],
  build: {
    outDir: '../../dist/apps/dashboard',
    emptyOutDir: true,
    manifest: 'manifest.json',
    sourcemap: false,
    target: 'es2022',
    // The build inlines no files, because the Content-Security-Policy allows `data:` URLs only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/model', '/docs', '/openapi.json', '/dashboard/config.json'].map((path) => [path, gateway]),
    ),
  },
});
