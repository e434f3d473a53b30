interface Place {
  freeAtMs: number;
  /** The workflow to which it is promised. */
  workflowId: string | null;
}

/** Ends a start that took so long; one of no time leaves its place free immediately. */
export type EndStart = (endMs: number, tookMs: number) => void;

interface WindowLimits {
  places: number;
  /** How many times as long as its start took a place stays taken, within `holdMsMax` after it. */
  holdTimes: number;
  holdMsMax: number;
  /** After which a place that was promised and not used is free. */
  promiseMs: number;
}

/**
 * Bounds the share of time that workflow starts may use: each keeps its place for a multiple of the time that it took,
 * so that a slower server or a busy machine gets fewer starts (ADR 20). Times are milliseconds of a monotonic clock.
 */
export class StartWindow {
  readonly #limits: WindowLimits;
  readonly #places: Place[];

  constructor(limits: WindowLimits) {
    this.#limits = limits;
    this.#places = Array.from({ length: limits.places }, () => ({ freeAtMs: 0, workflowId: null }));
  }

  /** Keeps a place for a workflow that is started soon; false when none is free. */
  promise(workflowId: string, nowMs: number): boolean {
    if (this.#places.some((place) => isPromised(place, workflowId))) return true;
    const place = this.#free(nowMs);
    if (place === null) return false;
    Object.assign(place, { freeAtMs: nowMs + this.#limits.promiseMs, workflowId });
    return true;
  }

  /**
   * Begins a start, in the place promised to the workflow or a free one. Returns null where there is none. A workflow
   * that is full waits only for the starts under way: its events would not become fewer starts by waiting.
   */
  begin(workflowId: string | null, nowMs: number, isFull = false): EndStart | null {
    const promised = this.#places.find((place) => isPromised(place, workflowId));
    const place = promised ?? this.#free(nowMs) ?? (isFull ? this.#held() : null);
    if (place === null) return null;
    Object.assign(place, { freeAtMs: Infinity, workflowId: null });
    return (endMs, tookMs) => {
      const { holdTimes, holdMsMax } = this.#limits;
      place.freeAtMs = endMs + Math.min(holdMsMax, (holdTimes - 1) * tookMs);
    };
  }

  /** Returns how long until a place is free; Infinity while all have a start under way. */
  waitMs(nowMs: number): number {
    const freeAtMs = Math.min(...this.#places.map((place) => place.freeAtMs));
    return Math.max(0, freeAtMs - nowMs);
  }

  #free(nowMs: number): Place | null {
    return this.#places.find((place) => place.freeAtMs <= nowMs) ?? null;
  }

  #held(): Place | null {
    const isHeld = ({ freeAtMs, workflowId }: Place): boolean =>
      freeAtMs < Infinity && workflowId === null;
    return this.#places.find(isHeld) ?? null;
  }
}

function isPromised(place: Place, workflowId: string | null): boolean {
  return workflowId !== null && place.workflowId === workflowId;
}
