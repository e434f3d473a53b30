const userUid = /^usr_[0-9a-hjkmnp-tv-z]{26}$/;

/** Checks whether a text is a user's uid. An external ID may have the same prefix. */
export function isUserUid(text: string): boolean {
  return userUid.test(text);
}
