// Which options MONGODB_URI may have: the driver lets some of them win over those in lib/mongo/connect.ts.

/** They say where MongoDB is and how it is reached. Lower case: the driver does not tell cases apart. */
const harmless = new Set([
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

/** Of options with one right value: that value, and the reason. */
const settled: Readonly<Record<string, readonly [value: string, reason: string]>> = {
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

/** Returns the connection string. Throws an Error that names each option the service cannot work with, but no secret. */
export function asMongodbUri(text: string): string {
  const faults = optionsOf(text).flatMap(([name, value]) => faultOf(name, value));
  if (faults.length > 0) throw new Error([...new Set(faults)].join('; '));
  return text;
}

/** As the driver finds them: a password may have `/` and `?` in it. */
function optionsOf(text: string): [name: string, value: string][] {
  const query = /^[^/]+:\/\/(?:[^:@]*(?::[^@]*)?@)?[^/?@]*[^?]*\?(.*)$/s.exec(text)?.[1] ?? '';
  return [...new URLSearchParams(query)];
}

function faultOf(name: string, value: string): string[] {
  const [right, reason] = settled[name.toLowerCase()] ?? [];
  if (value === right || harmless.has(name.toLowerCase())) return [];
  // Its value may be a secret of a mistyped name.
  if (reason === undefined) return [`remove \`${name}\`: ${unknown}`];
  return [`remove \`${name}=${value}\`: ${reason}`];
}
