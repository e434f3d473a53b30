// Parses the parts of a rendered chart that the checks need.
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly stringData?: Readonly<Record<string, string>>;
}

export interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly livenessProbe?: { readonly httpGet?: { readonly path: string } };
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop: readonly string[] };
  };
}

export interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly containers: readonly Container[];
}

/** A Deployment or Job. */
interface WorkloadSpec {
  readonly template: { readonly spec: PodSpec };
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
