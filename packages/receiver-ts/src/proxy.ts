// Selects the proxy of a request from the variables of the environment, as curl does.

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for a URL, or null if it is requested directly. Throws for an invalid proxy. */
export function proxyOf(url: URL, env: Environment): URL | null {
  const read = (name: string) => env[name] ?? env[name.toUpperCase()] ?? '';
  const text = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy').trim();
  if (text === '' || isExempt(url, read('no_proxy'))) return null;
  const address = text.includes('://') ? text : `http://${text}`;
  // The text may contain a password, so no error shows it.
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new Error('the proxy of the environment must be a URL that begins with http://');
  return new URL(address);
}

function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = withoutBrackets(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = entry, otherPort = ownPort] =
        /^(\[.*\]|[^:]*)(?::([0-9]+))?$/.exec(entry) ?? [];
      const domain = withoutBrackets(name).replace(/^\*?\./, '');
      if (domain === '' || otherPort !== ownPort) return false;
      return domain === '*' || host === domain || host.endsWith(`.${domain}`);
    });
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
