// GET /console and below: the page of the console and its files.
import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../lib/platform/errors.ts';
import { confirmIfKnown } from '../http/entity-tag.ts';
import { type ConsoleFile, type ConsoleFiles, readConsoleFiles } from './console-files.ts';

const yearSeconds = 365 * 24 * 60 * 60;
const nonceBytes = 16;

/** Serves a file if it exists, and the page for every other path. */
export function serveConsole(): Middleware {
  let kept: Promise<ConsoleFiles> | undefined;
  const read = (): Promise<ConsoleFiles> => {
    kept ??= readOrThrow().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
  return async (ctx, next) => {
    const path = /^\/console(?:\/(.*))?$/.exec(ctx.path);
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (path === null || !isRead) return next();
    ctx.state['route'] = '/console';
    const built = await read();
    const [, below = ''] = path;
    const file = built.files.get(below);
    // Their names contain a hash of the content.
    const isAsset = below.startsWith('assets/');
    if (file !== undefined) answerWithFile(ctx, file, isAsset);
    else if (!isAsset) answerWithPage(ctx, built.page);
    else throw new AppError('not_found', 'there is no such file');
    return undefined;
  };
}

async function readOrThrow(): Promise<ConsoleFiles> {
  const built = await readConsoleFiles();
  if (built !== null) return built;
  const detail = 'the console was not built: `npm run build` and `npm start` build it';
  throw new AppError('not_found', detail);
}

function answerWithFile(ctx: Context, { type, forms }: ConsoleFile, isAsset: boolean): void {
  // Checked one by one: browsers list gzip first, and among equals Koa would pick the client's first.
  const encoding = (['br', 'gzip'] as const).find((one) => ctx.acceptsEncodings(one)) ?? 'identity';
  const { bytes, etag } = forms[encoding];
  ctx.set({
    'cache-control': isAsset ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
    'content-type': type,
    etag,
    vary: 'accept-encoding',
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  });
  if (!confirmIfKnown(ctx, etag)) ctx.body = bytes;
}

function answerWithPage(ctx: Context, page: string): void {
  const nonce = randomBytes(nonceBytes).toString('base64');
  ctx.set('content-security-policy', policyWith(nonce));
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page.replaceAll('__NONCE__', nonce).replace('__BASE__', baseOf(ctx.path));
}

// Mantine adds style elements with this nonce.
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Relative, so that a proxy can serve the console below any path. */
function baseOf(path: string): string {
  const depth = path.split('/').length - 3;
  return depth < 0 ? 'console/' : depth === 0 ? './' : '../'.repeat(depth);
}
