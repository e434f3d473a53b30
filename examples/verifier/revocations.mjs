/** Remembers revocations until every token that they refuse has expired. */
export class Revocations {
  #keepMs;
  #latest = new Map();

  /** `keepMs` is at least the longest lifetime of a token. */
  constructor(keepMs) {
    this.#keepMs = keepMs;
  }

  /** Adds the `data` of an event. Events may arrive twice and in any order. */
  add({ uid, epoch }, now = Date.now()) {
    const highest = Math.max(epoch, this.#latest.get(uid)?.epoch ?? 0);
    // Deleted first, so that the map stays in the order of arrival.
    this.#latest.delete(uid);
    this.#latest.set(uid, { epoch: highest, until: now + this.#keepMs });
    for (const [each, { until }] of this.#latest) {
      if (until > now) break;
      this.#latest.delete(each);
    }
  }

  /** Checks whether a token with these claims was issued before a revocation of its user or application. */
  refuse({ sub, app, epoch, appEpoch }) {
    return appEpoch < this.#epochOf(app) || epoch - appEpoch < this.#epochOf(sub);
  }

  #epochOf(uid) {
    return this.#latest.get(uid)?.epoch ?? 0;
  }
}
