// Parses the parts of a rendered chart that the checks need.
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly stringData?: Readonly<Record<string, string>>;
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[] };
  };
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly dnsPolicy?: string;
  readonly dnsConfig?: { readonly nameservers?: readonly string[] };
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
}

/** A Deployment or Job. */
export interface WorkloadSpec {
  readonly strategy?: { readonly rollingUpdate?: { readonly maxUnavailable: number } };
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: PodSpec;
  };
}

/** Parses the output of `helm template`. Throws on invalid YAML. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

export function workloadsOf(manifests: readonly Manifest[]): (Manifest & { spec: WorkloadSpec })[] {
  return manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((manifest) => ({ ...manifest, spec: manifest.spec as WorkloadSpec }));
}
