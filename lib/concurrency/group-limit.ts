import { SharedLimit } from './shared-limit.ts';

/** Whose share of a limit is used: an application's or another group's, for one of its members if it has several. */
export interface Party {
  readonly group: string;
  readonly member: string | null;
}

/** A limit shared by groups: each holds at most three quarters of it, and each member three quarters of that. */
export class GroupLimit {
  readonly #groups: SharedLimit;
  readonly #members = new Map<string, SharedLimit>();

  constructor(max: number) {
    this.#groups = new SharedLimit(max);
  }

  get held(): number {
    return this.#groups.held;
  }

  get isFull(): boolean {
    return this.#groups.held >= this.#groups.max;
  }

  /** Checks whether the party may take more; the last amount taken may exceed the limit. */
  hasRoom({ group, member }: Party): boolean {
    if (!this.#groups.hasRoom(group)) return false;
    return member === null || (this.#members.get(group)?.hasRoom(member) ?? true);
  }

  take({ group, member }: Party, count = 1): void {
    this.#groups.take(group, count);
    if (member === null) return;
    const members = this.#members.get(group) ?? new SharedLimit(this.#groups.maxOfKey);
    this.#members.set(group, members);
    members.take(member, count);
  }

  release({ group, member }: Party, count = 1): void {
    this.#groups.release(group, count);
    if (member === null) return;
    const members = this.#members.get(group);
    members?.release(member, count);
    if (members?.held === 0) this.#members.delete(group);
  }
}
