const daySeconds = 24 * 60 * 60;

/** How long a secret or key still works beside its successor. */
export const overlapSecondsDefault = daySeconds;
export const overlapSecondsField = { type: 'integer', minimum: 0, maximum: 7 * daySeconds };
