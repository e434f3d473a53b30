const daySeconds = 24 * 60 * 60;

/** How long an old secret or key keeps working alongside its successor. */
export const overlapSecondsDefault = daySeconds;
export const overlapSecondsField = { type: 'integer', minimum: 0, maximum: 7 * daySeconds };
