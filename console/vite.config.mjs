// How the console is built: hashed files that are named relatively, so that any path can lead to them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The service that `npm start` runs, for `npx vite`. */
function runningService() {
  try {
    return JSON.parse(readFileSync(new URL('../.herald/dev.json', import.meta.url), 'utf8')).apiUrl;
  } catch {
    return 'http://localhost:3000';
  }
}

export default defineConfig({
  root,
  base: './',
  plugins: [
    react(),
    {
      name: 'base-of-development',
      apply: 'serve',
      transformIndexHtml: (html) => html.replace('__BASE__', '/'),
    },
  ],
  resolve: {
    alias: {
      '@agent-herald/client': fileURLToPath(
        new URL('../packages/client-ts/src/index.ts', import.meta.url),
      ),
    },
  },
  // The service replaces it in each answer (api/console/serve-console.ts).
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    // Of the packages in the bundle, which does not hold them.
    license: { fileName: 'licenses.txt' },
    // A list of chunks to load ahead would be of no use: they are on the same machine as the page.
    modulePreload: { polyfill: false },
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  // The host stays that of the page, as the service asks of its own pages.
  server: { proxy: { '/admin': { target: runningService(), changeOrigin: false } } },
});
