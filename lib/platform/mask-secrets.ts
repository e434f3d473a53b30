const forms: readonly [RegExp, string][] = [
  [/(ahk_[0-9A-Za-z]{12})_[0-9A-Za-z]+/g, '$1_…'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…'],
  // A JWT. Its first two parts are bounded, because a long text of possible starts would take quadratic time.
  [/eyJ[A-Za-z0-9_-]{8,300}\.[A-Za-z0-9_-]{1,8192}\.[A-Za-z0-9_-]+/g, 'eyJ…'],
];

/** Removes API keys, webhook secrets and user tokens, which callers put into paths and libraries into errors. */
export function maskSecrets(text: string): string {
  return forms.reduce((masked, [form, mask]) => masked.replace(form, mask), text);
}
