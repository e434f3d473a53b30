// The names of the settings that the service reads, taken from the code that reads them.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../lib/config/config.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';

/** Settings that the code of OpenTelemetry or Node reads. */
const ofLibraries = /^(?:OTEL_(?:EXPORTER_OTLP|BSP)_[A-Z_]+|TEMPORAL_GRPC_META_[A-Z0-9_]+)$/;
const alsoOfLibraries = [
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
];

/** Returns the settings that readConfig and the logger read, and those of Temporal and OpenTelemetry. */
export function knownSettings(): Set<string> {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    { MONGODB_URI: 'mongodb://localhost', ...makeDevSecrets() },
    {
      get(target, name) {
        read.add(String(name));
        return target[String(name)];
      },
    },
  );
  readConfig(environment);
  const logger = fileURLToPath(new URL('../../lib/platform/logger.ts', import.meta.url));
  const ofLogger = readFileSync(logger, 'utf8').match(/HERALD_[A-Z_]+/g) ?? [];
  return new Set([...read, ...ofLogger, ...temporalSettings(), ...alsoOfLibraries]);
}

/** Checks a name, including names that only a library knows by their prefix. */
export function isKnownSetting(name: string, known: ReadonlySet<string>): boolean {
  return known.has(name) || ofLibraries.test(name);
}

/** Returns Temporal's settings: readConfig passes on a prefix, and envconfig has the names. */
function temporalSettings(): string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('@temporalio/envconfig'));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .flatMap(
      (name) => readFileSync(`${folder}/${name}`, 'utf8').match(/TEMPORAL_[A-Z_]*[A-Z]/g) ?? [],
    );
}
