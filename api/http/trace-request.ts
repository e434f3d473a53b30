// The span of a request, in the trace of its caller.
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Middleware } from 'koa';
import { startSpan } from '../../lib/telemetry/spans.ts';
import { contextOfCaller } from '../../lib/telemetry/trace-context.ts';
import { methodOf } from './method-of.ts';
import { isProbe } from './probes.ts';

// Callers can put anything into this path segment.
const appUidForm = /^app_\w{1,40}$/;

/** Neither path, query nor headers are recorded: callers put secrets there by mistake. */
export const traceRequest: Middleware = async (ctx, next) => {
  if (isProbe(ctx.path)) return next();
  const method = methodOf(ctx);
  const parent = contextOfCaller(ctx.req.headers);
  const span = startSpan({
    name: method === '_OTHER' ? 'HTTP' : method,
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method },
    parent,
  });
  if (!span.isRecording()) return next();
  try {
    return await context.with(trace.setSpan(parent, span), next);
  } finally {
    describe(span, ctx);
    span.end();
  }
};

function describe(span: Span, { state, status, method }: Context): void {
  const { route, errorCode, requestId, appUid } = state as Record<string, string | undefined>;
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttribute('http.response.status_code', status);
  span.setAttribute('herald.request.id', requestId ?? '');
  const isUid = appUid !== undefined && appUidForm.test(appUid);
  if (isUid) span.setAttribute('herald.app.uid', appUid);
  if (errorCode !== undefined) span.setAttribute('error.type', errorCode);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
