// Checks the options in MONGODB_URI: the driver lets some of them override those in lib/mongo/connect.ts.

/** Options that only locate MongoDB and say how to connect. In lower case, because the driver ignores case. */
const allowedOptions = new Set([
  'appname',
  'authmechanism',
  'authmechanismproperties',
  'authsource',
  'compressors',
  'directconnection',
  'localthresholdms',
  'maxidletimems',
  'proxyhost',
  'proxypassword',
  'proxyport',
  'proxyusername',
  'replicaset',
  'srvmaxhosts',
  'srvservicename',
  'ssl',
  'tls',
  'tlscafile',
  'tlscertificatekeyfile',
  'tlscertificatekeyfilepassword',
  'tlscrlfile',
  'zlibcompressionlevel',
]);

const forged = 'another server could pose as MongoDB; name its authority with tlsCAFile';
const confirmed = 'a write counts once a majority of the servers has it in the journal';
const repeated = 'a call is repeated when MongoDB changes its primary';

/** Options with a single valid value: that value, and the reason. */
const requiredValues: Readonly<Record<string, readonly [value: string, reason: string]>> = {
  w: ['majority', confirmed],
  journal: ['true', confirmed],
  j: ['true', confirmed],
  readconcernlevel: ['majority', 'data that a majority does not have can be rolled back'],
  readpreference: ['primary', 'a secondary may be behind'],
  retrywrites: ['true', repeated],
  retryreads: ['true', repeated],
  loadbalanced: ['false', 'the driver would not notice a server that is unavailable'],
  tlsallowinvalidcertificates: ['false', forged],
  tlsallowinvalidhostnames: ['false', forged],
  tlsinsecure: ['false', forged],
};

const unknown =
  'the service sets its own value, or does not know the option (docs/configuration.md)';

/** Returns the connection string. Throws an Error that names each unsupported option, but no secret. */
export function asMongodbUri(text: string): string {
  const faults = optionsOf(text).flatMap(([name, value]) => faultOf(name, value));
  if (faults.length > 0) throw new Error([...new Set(faults)].join('; '));
  return text;
}

/** Parses options as the driver does: a password may contain `/` and `?`. */
function optionsOf(text: string): [name: string, value: string][] {
  const query = /^[^/]+:\/\/(?:[^:@]*(?::[^@]*)?@)?[^/?@]*[^?]*\?(.*)$/s.exec(text)?.[1] ?? '';
  return [...new URLSearchParams(query)];
}

function faultOf(name: string, value: string): string[] {
  const [right, reason] = requiredValues[name.toLowerCase()] ?? [];
  if (value === right || allowedOptions.has(name.toLowerCase())) return [];
  // The value of a mistyped option may be a secret.
  if (reason === undefined) return [`remove \`${name}\`: ${unknown}`];
  return [`remove \`${name}=${value}\`: ${reason}`];
}
