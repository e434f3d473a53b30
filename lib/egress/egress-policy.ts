// What an operator lets this service's outgoing requests reach: schemes, ports and address ranges.

/**
 * The operator's rules for outgoing requests. `denyCidrs` win over `allowCidrs`, and `allowCidrs`
 * win over the built-in table of ranges that are not public.
 */
export interface EgressPolicy {
  /** Plain http is for receivers the operator owns; anyone on the path can read and change it. */
  readonly allowHttp: boolean;
  /**
   * The ports a URL may name. Port 80 joins a list when `allowHttp` is set; 0 is always
   * refused.
   */
  readonly ports: readonly number[] | 'any';
  /**
   * Names, with all under them, that a URL may hold although they are private; their addresses are
   * judged all the same.
   */
  readonly allowHosts?: readonly string[];
  readonly allowCidrs: readonly string[];
  readonly denyCidrs: readonly string[];
}

/** What holds where nothing is set: public receivers over https on the two usual ports. */
export const defaultEgressPolicy: Required<EgressPolicy> = {
  allowHttp: false,
  ports: [443, 8443],
  allowHosts: [],
  allowCidrs: [],
  denyCidrs: [],
};
