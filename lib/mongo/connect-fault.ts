import { MongoParseError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { errorCode } from '../platform/error-code.ts';

const authenticationFailed = 18;

/** Returns an error that says which MongoDB cannot be used, why, and which setting names it. */
export function connectFault(uri: string, cause: unknown): Error {
  const server = `MongoDB at ${hostsOf(uri)}`;
  if (cause instanceof MongoParseError) {
    return new Error(`MONGODB_URI cannot be used: ${cause.message}`, { cause });
  }
  // The parser's error quotes the whole string with its password, so it must not become the cause.
  if (cause instanceof Error && cause.name === 'MongoParseError') {
    return new Error('MONGODB_URI is not a connection string such as mongodb://host:27017');
  }
  if (cause instanceof MongoServerError && cause.code === authenticationFailed) {
    return new Error(`${server} refuses the user or password of MONGODB_URI`, { cause });
  }
  const reason = cause instanceof Error ? reasonOf(cause) : '';
  return new Error(`${server} cannot be reached${reason}; is it running, and MONGODB_URI right?`, {
    cause,
  });
}

/** Returns the hosts of a connection string, without user and password. */
function hostsOf(uri: string): string {
  const [authority = ''] = uri.replace(/^mongodb(?:\+srv)?:\/\//, '').split(/[/?]/);
  return authority.slice(authority.lastIndexOf('@') + 1);
}

const untrusted = ': its certificate is of an authority that is not trusted (tlsCAFile)';

const reasons: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: ': its certificate is for another name',
  ECONNREFUSED: ': nothing listens there',
  ENOTFOUND: ': the name is unknown',
  EAI_AGAIN: ': the name cannot be looked up',
};

function reasonOf(error: Error): string {
  const codes = [error, ...faultsOfServers(error)].map(innermostCode);
  return codes.flatMap((code) => reasons[String(code)] ?? [])[0] ?? '';
}

function faultsOfServers(error: Error): unknown[] {
  if (!(error instanceof MongoServerSelectionError)) return [];
  return [...(error.reason?.servers.values() ?? [])].map((server) => server.error);
}

function innermostCode(error: unknown): string | number | null {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? innermostCode(cause) : errorCode(error);
}
