// The second wall before the log: whatever has the form of a secret of ours is cut.

const forms: readonly [RegExp, string][] = [
  // An API key keeps its public part, which tells whose it is.
  [/(ahk_[0-9A-Za-z]{12})_[0-9A-Za-z]+/g, '$1_…'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…'],
  // A JWT keeps nothing: three base64url parts, the first one a JSON object. The first two are bounded,
  // or a long text of nothing but beginnings would take its length squared to read.
  [/eyJ[A-Za-z0-9_-]{8,300}\.[A-Za-z0-9_-]{1,8192}\.[A-Za-z0-9_-]+/g, 'eyJ…'],
];

/**
 * Gives a text without API keys, webhook secrets and user tokens. Nothing of ours logs one; this is for
 * those that callers put where they do not belong, such as a path, and for errors of libraries.
 */
export function maskSecrets(text: string): string {
  return forms.reduce((masked, [form, mask]) => masked.replace(form, mask), text);
}
