// Checks that the service would start with the environment that the chart sets.
import { readConfig } from '../../lib/config/config.ts';
import { isKnownSetting } from './known-settings.ts';
import { type Manifest, workloadsOf } from './manifests.ts';

/** Stands in for an existing Secret. */
const existingSecret = {
  MONGODB_URI: 'mongodb+srv://herald:password@cluster.example.mongodb.net/',
  HERALD_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  HERALD_KEY_PEPPER: 'a-pepper-for-checks-of-the-chart-only',
};

/** Returns a sentence for each setting that the service does not read, and for each value that it rejects. */
export function settingFaults(manifests: readonly Manifest[]): string[] {
  const made = manifests.find(({ kind }) => kind === 'Secret')?.stringData;
  return workloadsOf(manifests).flatMap(({ metadata, spec }) =>
    spec.template.spec.containers.flatMap(({ env = [] }) => {
      const names = env.map(({ name }) => name);
      const unknown = [...names, ...Object.keys(made ?? {})]
        .filter((name) => !isKnownSetting(name))
        .map((name) => `${metadata.name}: no process reads ${name}`);
      const values = Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
      return [...unknown, ...refusal(metadata.name, { ...(made ?? existingSecret), ...values })];
    }),
  );
}

function refusal(name: string, environment: Record<string, string>): string[] {
  // The files of certificates are in Secrets of the cluster.
  const withoutFiles = Object.entries(environment).filter(
    ([setting]) => !/^TEMPORAL_TLS_.*_PATH$/.test(setting),
  );
  try {
    readConfig(Object.fromEntries(withoutFiles));
    return [];
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
