import { errorCode } from '../platform/error-code.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import { isConnectionBroken } from './classify-send-error.ts';
import { type Connection, createConnection, type IdlePool } from './connection.ts';
import {
  exchange,
  type ExchangeRequest,
  type ExchangeScope,
  type ReceivedResponse,
} from './exchange.ts';
import { openSocket, type SocketOpener } from './open-socket.ts';

export interface Transport extends SocketOpener {
  readonly idlePool: IdlePool;
}

/** POSTs over a kept connection, or a new one. Throws the fault of the connection or the exchange. */
export async function post(
  url: URL,
  message: ExchangeRequest,
  { transport, signal, trace, beforeRequest }: ExchangeScope & { readonly transport: Transport },
): Promise<ReceivedResponse> {
  const exchangeOver = async (connection: Connection): Promise<ReceivedResponse> => {
    const response = await exchange(connection, message, { signal, trace, beforeRequest });
    if (response.complete) transport.idlePool.put(connection);
    return response;
  };
  const owner = transport.clientCertificate?.owner ?? null;
  const connectionTarget = { origin: url.origin, owner };
  const kept = transport.idlePool.take(connectionTarget);
  if (kept !== null) {
    try {
      return await exchangeOver(kept);
    } catch (error) {
      if (!wentStale(error, trace)) throw error;
    }
  }
  const socket = await openSocket(url, transport, { signal, trace });
  return exchangeOver(createConnection(connectionTarget, socket, trace.address));
}

// A receiver may close a reused connection as we write (RFC 9112 §9.3.1); then we send again, with the same event ID.
function wentStale(error: unknown, trace: AttemptTrace): boolean {
  const code = errorCode(error);
  if (typeof code !== 'string' || trace.responseBegan) return false;
  return code === 'CONNECTION_STALE' || isConnectionBroken(code);
}
