// Decides what the NetworkPolicies of a rendered chart allow, by the rules of Kubernetes.
import { inCidr, parseAddress, parseCidr } from '../../lib/egress/parse-address.ts';
import type { Manifest } from './manifests.ts';

type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels?: Labels;
}

interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
}

interface Rule {
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly protocol: string; readonly port: number | string }[];
}

interface PolicySpec {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly egress?: readonly Rule[];
}

/** The target of a connection. Without a namespace it is outside of the cluster. */
export interface Target {
  readonly address: string;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
  /** `own` is the namespace of the release. */
  readonly namespace?: string;
  readonly labels?: Labels;
}

const includes = ({ matchLabels = {} }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

/** Checks whether pods with these labels may connect to the target. */
export function allowsEgress(manifests: readonly Manifest[], pod: Labels, target: Target): boolean {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as PolicySpec)
    .filter(({ podSelector, policyTypes }) => {
      return policyTypes.includes('Egress') && includes(podSelector, pod);
    });
  // Pods that no policy selects may connect to everything. Several policies add up.
  if (policies.length === 0) return true;
  return policies.some(({ egress = [] }) => egress.some((rule) => ruleAllows(rule, target)));
}

function ruleAllows({ to = [], ports = [] }: Rule, target: Target): boolean {
  const { port, protocol = 'TCP' } = target;
  const portFits =
    ports.length === 0 || ports.some((each) => each.port === port && each.protocol === protocol);
  // An empty list of peers means all peers.
  return portFits && (to.length === 0 || to.some((peer) => peerIs(peer, target)));
}

function peerIs(peer: Peer, target: Target): boolean {
  if (peer.ipBlock !== undefined) {
    const { cidr, except = [] } = peer.ipBlock;
    return isWithin(cidr, target.address) && !except.some((part) => isWithin(part, target.address));
  }
  const { namespace, labels = {} } = target;
  if (namespace === undefined) return false;
  const namespaceFits =
    peer.namespaceSelector === undefined
      ? namespace === 'own'
      : includes(peer.namespaceSelector, { 'kubernetes.io/metadata.name': namespace });
  return namespaceFits && includes(peer.podSelector ?? {}, labels);
}

function isWithin(cidr: string, text: string): boolean {
  const range = parseCidr(cidr);
  const address = parseAddress(text);
  if (range === null || address === null) throw new Error(`no range or address: ${cidr}, ${text}`);
  return inCidr(range, address);
}
