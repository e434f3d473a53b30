/** What the dialog of a new secret says. */
export const secretAbout =
  'Your receiver verifies the signatures of requests with it. Keep it where your receiver has its secrets.';
