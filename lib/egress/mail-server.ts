import { isThisMachine } from './host-name.ts';
import { parseUrl } from './parse-url.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly isTls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** Whether to send only over TLS, so that nobody on the way reads the password. */
  readonly needsTls: boolean;
}

/** Throws an Error that does not repeat the text, which may contain a password. */
export function parseMailServer(text: string): MailServer {
  const url = parseUrl(text);
  const isTls = url?.protocol === 'smtps:';
  const isPlain = url !== null && `${url.search}${url.hash}` === '' && /^\/?$/.test(url.pathname);
  const login = url === null ? null : loginOf(url);
  const isScheme = isTls || url?.protocol === 'smtp:';
  if (!isScheme || !isPlain || url.hostname === '' || login === null || url.port === '0') {
    throw new Error('must be smtp://user:password@host:port, or smtps://… for TLS');
  }
  const { user, pass } = login;
  const hasLogin = user !== '' && pass !== '';
  if (!hasLogin && `${user}${pass}` !== '') throw new Error('must have both user and password');
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    login: hasLogin ? login : null,
    needsTls: hasLogin && !isThisMachine(url.hostname),
  };
}

function loginOf({ username, password }: URL): { user: string; pass: string } | null {
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return null;
  }
}
