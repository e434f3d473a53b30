import type { Context } from 'koa';
import type { ApiAnswer } from '../route.ts';
import { confirmIfKnown } from './entity-tag.ts';

export function writeAnswer(ctx: Context, result: ApiAnswer, publicUrl: string): void {
  ctx.status = result.status;
  if (result.headers) ctx.set(result.headers);
  const { location } = result.headers ?? {};
  if (typeof location === 'string' && location.startsWith('/')) {
    // A proxy has removed the path of the public URL.
    ctx.set('location', new URL(publicUrl).pathname.replace(/\/$/, '') + location);
  }
  const tag = result.headers?.['etag'];
  if (typeof tag === 'string' && confirmIfKnown(ctx, tag)) return;
  if (result.body !== undefined) {
    ctx.body = JSON.stringify(result.body);
    ctx.type = 'application/json';
  } else if (result.content !== undefined) {
    ctx.body = result.content.bytes;
    ctx.type = result.content.type;
  } else {
    // Koa would write the name of the status as the body.
    ctx.body = null;
    ctx.status = result.status;
  }
}
