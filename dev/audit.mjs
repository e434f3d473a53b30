// `npm run audit`: writes .cache/sbom.json, a CycloneDX list of all packages, in which development packages are marked,
// and asks the registry for known vulnerabilities. It ends with 1 for severe ones in shipped packages, and says so if
// the registry offers no audit.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

/** Runs npm and returns its JSON, which `npm audit` prints even if it ends with 1. */
function npm(...args) {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  try {
    return JSON.parse(execFileSync('npm', args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
  } catch (error) {
    if (!error.stdout) throw error;
    return JSON.parse(error.stdout);
  }
}

const sbom = npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only');
if (!Array.isArray(sbom.components)) throw new Error('npm wrote no list of packages');
mkdirSync('.cache', { recursive: true });
writeFileSync('.cache/sbom.json', `${JSON.stringify(sbom, null, 2)}\n`);
process.stdout.write(`.cache/sbom.json: ${sbom.components.length} packages\n`);

const audit = npm('audit', '--omit=dev', '--json');
const counts = audit.metadata?.vulnerabilities;
if (counts === undefined) {
  process.stdout.write(`not audited: ${audit.message ?? audit.error?.summary}\n`);
} else {
  process.stdout.write(`vulnerabilities: ${JSON.stringify(counts)}\n`);
  if (counts.high + counts.critical > 0) process.exitCode = 1;
}
