/** Remembers revocations until every token that they refuse has expired. */
export class Revocations {
  #keepMs;
  #latest = new Map();

  /** `keepMs` is at least the longest lifetime of a token. */
  constructor(keepMs) {
    this.#keepMs = keepMs;
  }

  /** Adds the `data` of an event. Events may arrive twice and in any order. */
  add({ uid, epoch = 0, tokenUid, apiKeyUid }, now = Date.now()) {
    const revoked = tokenUid ?? apiKeyUid ?? uid;
    const highest = Math.max(epoch, this.#epochOf(revoked));
    // Deleted first, so that the map stays in the order of arrival.
    this.#latest.delete(revoked);
    this.#latest.set(revoked, { epoch: highest, until: now + this.#keepMs });
    for (const [each, { until }] of this.#latest) {
      if (until > now) break;
      this.#latest.delete(each);
    }
  }

  /**
   * Checks whether a token with these claims was revoked, alone or with its API key, or was issued before a revocation of
   * its user or application.
   */
  refuse({ sub, app, epoch, appEpoch, jti, key }) {
    if (this.#latest.has(jti) || this.#latest.has(key)) return true;
    return appEpoch < this.#epochOf(app) || epoch - appEpoch < this.#epochOf(sub);
  }

  #epochOf(uid) {
    return this.#latest.get(uid)?.epoch ?? 0;
  }
}
