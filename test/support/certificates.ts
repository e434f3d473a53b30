// An authority that issues client certificates, made with the openssl program.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ClientPair {
  certificate: string;
  key: string;
}

export interface Authority extends Disposable {
  /** PEM. */
  certificate: string;
  /** Issues a certificate and key, by default EC P-256 and valid for 60 days; for a server, with its names. */
  issue(
    name: string,
    options?: { days?: number; newkey?: readonly string[]; serverNames?: string },
  ): ClientPair;
  /** Issues an authority below this one. */
  issueAuthority(name: string): Authority;
}

const ec = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] as const;

/** Creates an authority, in a folder that is removed when it is disposed. */
export function makeAuthority(name: string): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'herald-ca-'));
  const at = (file: string): string => join(folder, file);
  openssl(
    ['req', '-x509', '-newkey', ...ec, '-nodes', '-days', '90', '-subj', `/CN=${name}`].concat([
      '-keyout',
      at('ca.key'),
      '-out',
      at('ca.pem'),
    ]),
  );
  return authorityIn(folder);
}

function authorityIn(folder: string): Authority {
  const at = (file: string): string => join(folder, file);
  const sign = (to: string, days: number, more: readonly string[] = []): void => {
    const ca = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
    openssl(
      ['x509', '-req', '-in', `${to}.csr`, ...ca, '-days', String(days)].concat([
        '-out',
        `${to}.pem`,
        ...more,
      ]),
    );
  };
  const request = (
    name: string,
    to: string,
    more: readonly string[] = ['-newkey', ...ec],
  ): void => {
    openssl(
      ['req', '-nodes', '-subj', `/O=Herald/CN=${name}`].concat([
        ...more,
        '-keyout',
        `${to}.key`,
        '-out',
        `${to}.csr`,
      ]),
    );
  };
  return {
    certificate: readFileSync(at('ca.pem'), 'utf8'),
    issue(name, { days = 60, newkey = ec, serverNames } = {}) {
      const to = at('client');
      const names = serverNames === undefined ? [] : ['-addext', `subjectAltName=${serverNames}`];
      request(name, to, ['-newkey', ...newkey, ...names]);
      sign(to, days, serverNames === undefined ? [] : ['-copy_extensions', 'copyall']);
      return {
        certificate: readFileSync(`${to}.pem`, 'utf8'),
        key: readFileSync(`${to}.key`, 'utf8'),
      };
    },
    issueAuthority(name) {
      const below = mkdtempSync(join(tmpdir(), 'herald-ca-'));
      const to = join(below, 'ca');
      request(name, to);
      const extensions = ['-copy_extensions', 'copyall'];
      openssl(
        ['req', '-new', '-key', `${to}.key`, '-subj', `/CN=${name}`].concat([
          '-addext',
          'basicConstraints=critical,CA:TRUE',
          '-out',
          `${to}.csr`,
        ]),
      );
      sign(to, 90, extensions);
      return authorityIn(below);
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

function openssl(parameters: readonly string[]): void {
  execFileSync('openssl', parameters, { stdio: 'pipe' });
}
