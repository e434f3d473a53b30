// A TLS receiver that accepts only clients with a certificate of its authority.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientPair, makeAuthority } from './certificates.ts';
import { type Answering, makeKeyPair, type Receiver, startTlsReceiver } from './receivers.ts';

export interface CertifiedReceiver extends Receiver {
  /** For processes that must trust the receiver. */
  readonly env: { readonly NODE_EXTRA_CA_CERTS: string };
  issue(name: string): ClientPair;
}

export async function startCertifiedReceiver(answer: Answering): Promise<CertifiedReceiver> {
  const pair = makeKeyPair();
  const authority = makeAuthority('Clients');
  const folder = mkdtempSync(join(tmpdir(), 'herald-trust-'));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, pair.cert);
  const options = { ...pair, requestCert: true, ca: authority.certificate };
  const receiver = await startTlsReceiver(options, answer);
  return {
    ...receiver,
    env: { NODE_EXTRA_CA_CERTS: ca },
    issue: (name) => authority.issue(name),
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]();
      authority[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
