// The upper bounds of the histograms' buckets, in seconds.

// The buckets of the semantic conventions for HTTP.
export const requestSeconds = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

// Up to the timeout of an attempt, and a margin.
export const attemptSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5,
];

// From an immediate start to an outage of hours; 5 s and 300 s are thresholds of alerts.
export const waitSeconds = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
];

// The buckets of the semantic conventions for databases.
export const databaseSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
