/** `denyCidrs` win over `allowCidrs`, and these over the built-in table of refused ranges. */
export interface EgressPolicy {
  readonly allowHttp: boolean;
  /** The ports a URL may name, and 80 with `allowHttp`; 0 is always refused. */
  readonly ports: readonly number[] | 'any';
  /** Private names, with all under them, that a URL may hold; their addresses are still checked. */
  readonly allowHosts?: readonly string[];
  readonly allowCidrs: readonly string[];
  readonly denyCidrs: readonly string[];
}

export const defaultEgressPolicy: Required<EgressPolicy> = {
  allowHttp: false,
  ports: [443, 8443],
  allowHosts: [],
  allowCidrs: [],
  denyCidrs: [],
};
