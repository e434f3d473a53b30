// GET /console and below: the pages of the console, and their files.
import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../lib/platform/errors.ts';
import { confirmIfKnown } from '../http/entity-tag.ts';
import { type ConsoleFile, type ConsoleFiles, readConsoleFiles } from './console-files.ts';

const yearSeconds = 365 * 24 * 60 * 60;
const nonceBytes = 16;

/** Answers with a file where there is one, and with the page for every other path. */
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
    // Their names are of their content.
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
  // Asked one by one: browsers name gzip first, and of equals the client's first is taken.
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

// Mantine writes style elements, and gives them the nonce.
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

/** Relative, so that a proxy may serve it all below any path. */
function baseOf(path: string): string {
  const depth = path.split('/').length - 3;
  return depth < 0 ? 'console/' : depth === 0 ? './' : '../'.repeat(depth);
}
