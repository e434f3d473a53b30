/** `denyCidrs` override `allowCidrs`, which override the built-in refused ranges. */
export interface EgressPolicy {
  readonly allowHttp: boolean;
  /** The ports a URL may use, plus 80 with `allowHttp`; 0 is always refused. */
  readonly ports: readonly number[] | 'any';
  /** Private names, including their subdomains, that a URL may use; their addresses are still checked. */
  readonly allowHosts?: readonly string[];
  readonly allowCidrs: readonly string[];
  readonly denyCidrs: readonly string[];
}
