// The tests' Temporal behind TLS, like Temporal Cloud: it requires a certificate, and rejects operator calls.
import { once } from 'node:events';
import {
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type ClientPair, makeAuthority } from './certificates.ts';
import { testServers } from './servers.ts';

export interface TemporalGateway extends AsyncDisposable {
  address: string;
  /** The name in its certificate, which is not an address. */
  serverName: string;
  /** PEM: the authority of its certificate, and of the accepted client certificates. */
  authority: string;
  issueClient(name: string): ClientPair;
  /** The calls so far. */
  calls: readonly SeenCall[];
}

export interface SeenCall {
  path: string;
  authorization: string | undefined;
  /** The name in the client's certificate. */
  client: string | undefined;
}

interface GatewayOptions {
  /** Rejects a client without a certificate. */
  asksForCertificate: boolean;
  /** Rejects operator calls: listing and adding search attributes. */
  refusesOperators: boolean;
}

const grpcPermissionDenied = '7';
const serverName = 'temporal.example.com';

export async function startTemporalGateway(options: GatewayOptions): Promise<TemporalGateway> {
  const authority = makeAuthority('Temporal');
  const { certificate, key } = authority.issue('Gateway', { serverNames: `DNS:${serverName}` });
  const onward = connect(`http://${testServers().temporalAddress}`);
  const server = createSecureServer({
    cert: certificate,
    key,
    ca: authority.certificate,
    requestCert: options.asksForCertificate,
    rejectUnauthorized: options.asksForCertificate,
  });
  const calls: SeenCall[] = [];
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    const path = String(headers[':path']);
    const socket = stream.session?.socket as TLSSocket | undefined;
    const client = [socket?.getPeerCertificate().subject?.CN].flat()[0];
    calls.push({ path, authorization: headers.authorization, client });
    stream.on('error', () => undefined);
    if (options.refusesOperators && path.includes('.OperatorService/')) refuse(stream);
    else forward(stream, onward.request(headers));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    serverName,
    authority: authority.certificate,
    // With a name, because clients do not send a certificate of the version that has no extensions.
    issueClient: (name) => authority.issue(name, { serverNames: `DNS:${name}` }),
    calls,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      onward.destroy();
      server.close();
      authority[Symbol.dispose]();
    },
  };
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': grpcPermissionDenied,
      'grpc-message': 'Request unauthorized.',
    },
    { endStream: true },
  );
}

function forward(
  stream: ServerHttp2Stream,
  call: ReturnType<ReturnType<typeof connect>['request']>,
) {
  let trailers: IncomingHttpHeaders = {};
  call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
  stream.once('close', () => call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
  call.once('trailers', (given) => (trailers = given));
  call.once('response', (headers, flags) => {
    if (stream.destroyed) return;
    // An error without a message has only these.
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(headers, { endStream, waitForTrailers: !endStream });
    if (endStream) return;
    stream.once('wantTrailers', () => stream.sendTrailers(trailers));
    call.pipe(stream);
  });
}
