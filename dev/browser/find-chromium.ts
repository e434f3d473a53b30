import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findOnPath, isExecutable } from '../servers/find-or-install.ts';

const programNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Returns `HERALD_CHROMIUM`, or the first Chromium on `PATH`, or the one that the package @sparticuz/chromium unpacks,
 * which needs nothing installed. Throws if the first is not an executable.
 */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string> {
  const configured = env['HERALD_CHROMIUM'];
  if (configured) {
    if (await isExecutable(configured)) return configured;
    throw new Error(`HERALD_CHROMIUM is ${configured}, which is not an executable file`);
  }
  for (const name of programNames) {
    const path = await findOnPath(name, env);
    if (path !== undefined) return path;
  }
  if (process.platform === 'linux') return unpackChromium();
  throw new Error('no Chromium is on the PATH: install one, or set HERALD_CHROMIUM to its path');
}

/** The package unpacks into the folder of temporary files, where other users could have put an executable. */
async function unpackChromium(): Promise<string> {
  const folder = fileURLToPath(new URL('../../.cache/chromium', import.meta.url));
  await mkdir(folder, { recursive: true });
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    return await packed.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/** Starts a headless browser. */
export function launchChromium(executablePath: string): Promise<Browser> {
  // Chromium refuses to use its sandbox as root, as in containers. It only opens our own pages.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, chromiumSandbox: !isRoot });
}
