// The checks before each handler, in this order: credential, query, body.
import { Readable } from 'node:stream';
import { Router, type RouterContext } from '@koa/router';
import type { Party } from '../lib/concurrency/group-limit.ts';
import { withTimeout } from '../lib/concurrency/with-timeout.ts';
import { httpLimits, limits } from '../lib/limits.ts';
import { admit } from './access/admit.ts';
import { partyOf } from './access/party.ts';
import { visitOf } from './access/shed-load.ts';
import type { ApiContext } from './context.ts';
import { clientAddress } from './http/client-address.ts';
import { readIdempotencyKey } from './http/idempotency-header.ts';
import { checkParameters } from './http/query-values.ts';
import { readJsonBody } from './http/read-json-body.ts';
import { refuseOtherMethods } from './http/refuse-other-methods.ts';
import { writeAnswer } from './http/write-answer.ts';
import { type ApiAnswer, type ApiRequest, appPaths, type Route } from './route.ts';

export function createRouter(context: ApiContext, routes: readonly Route[]): Router {
  const router = new Router();
  refuseOtherMethods(router, routes);
  for (const line of routes) {
    router[line.method](line.path, (ctx) => answer({ line, context, ctx }));
  }
  return router;
}

interface Call {
  line: Route;
  context: ApiContext;
  ctx: RouterContext;
}

async function answer(call: Call): Promise<void> {
  const begunMs = performance.now();
  const { line, context, ctx } = call;
  const admitted = await admitCaller(call);
  const query = readQuery(call);
  const sent = await receiveBody(call, admitted.party);
  const request = makeRequest(call, admitted, { query, ...sent });
  // Safe, because route.ts pairs a handler with its access and validator.
  const handle = (): Promise<ApiAnswer> =>
    answerInTime(line.handler(request as never, context), begunMs);
  const result = await (line.withoutPermit
    ? handle()
    : visitOf(ctx).handle(admitted.party, handle));
  writeAnswer(ctx, result, context.config.http.publicUrl);
}

type Admitted = Pick<ApiRequest, 'caller' | 'signedIn'> & { party: Party };

/** Throws the refusal of a credential. The log and the rate limits count the call even then. */
async function admitCaller({ line, context, ctx }: Call): Promise<Admitted> {
  const { appUid = '' } = ctx.params;
  ctx.state['route'] = line.path;
  if (line.access.kind !== 'open') ctx.state['appUid'] = ctx.params['appUid'];
  const address = clientAddress(ctx.req, context.config.http.trustedProxyHops);
  const admission = admit(context, line.access, { request: ctx.req, appUid, address });
  const admitted = await withTimeout(admission, httpLimits.authenticationTimeoutMs);
  Object.assign(ctx.state, admitted.logged);
  ctx.set(admitted.headers);
  if (admitted.refusal !== null) throw admitted.refusal;
  const { actor, signedIn } = admitted;
  const party = partyOf({ actor, admin: signedIn?.admin ?? null, appUid, address });
  const caller = { actor, address, requestId: ctx.state['requestId'] as string };
  return { caller, signedIn, party };
}

function readQuery({ line, ctx }: Call): URLSearchParams {
  const query = new URLSearchParams(ctx.querystring);
  // Monitors, caches and identity providers add their own parameters.
  if (line.access.kind !== 'open') checkParameters(query, line.handler.parameters ?? {});
  return query;
}

type Sent = Pick<ApiRequest<unknown>, 'body' | 'bodyText'>;

async function receiveBody({ line, ctx }: Call, party: Party): Promise<Sent> {
  const { body: validate, bodyBytesMax: bytesMax = limits.requestBytesMax } = line;
  if (validate === null) return { body: undefined, bodyText: '' };
  return visitOf(ctx).receive(party, (reception) =>
    readJsonBody(ctx.req, { ...reception, bytesMax, validate }),
  );
}

function makeRequest(
  { line, context, ctx: { params, req } }: Call,
  { caller, signedIn }: Admitted,
  sent: Sent & { query: URLSearchParams },
): ApiRequest<unknown> {
  const { appUid = '' } = params;
  const { rawHeaders } = req;
  const appPath = appPaths[line.access.kind === 'admin' ? 'admin' : 'key'];
  const owner = signedIn?.admin._id ?? '';
  const callScope = `${line.method} ${line.path}\n${JSON.stringify(params)}${owner}`;
  return {
    ...sent,
    appUid,
    appPath: appPath.replace(':appUid', () => appUid),
    params,
    callScope,
    idempotencyKey: () => {
      // Only calls that the contract says take a key.
      if (!line.handler.operation.takesIdempotencyKey) throw new Error(`${line.path} takes no key`);
      const scope = { scope: callScope, pepper: context.config.keyPepper };
      return readIdempotencyKey(rawHeaders, scope, sent.body);
    },
    rawHeaders,
    caller,
    signedIn,
  };
}

async function answerInTime(answering: Promise<ApiAnswer>, begunMs: number): Promise<ApiAnswer> {
  const leftMs = httpLimits.responseTimeoutMs - (performance.now() - begunMs);
  try {
    return await withTimeout(answering, Math.max(httpLimits.handlingMsMin, leftMs));
  } catch (error) {
    // Nobody would read a stream that opens after the client has left, and it would count as open forever.
    answering.then(closeStream, () => undefined);
    throw error;
  }
}

function closeStream({ content }: ApiAnswer): void {
  if (content?.bytes instanceof Readable) content.bytes.destroy();
}
