const userUid = /^usr_[0-9a-hjkmnp-tv-z]{26}$/;

/** Tells a user's uid from an external id, which may begin alike. */
export function isUserUid(text: string): boolean {
  return userUid.test(text);
}
