/** What the dialog of a new secret says. */
export const secretAbout =
  'Your receiver uses it to verify signatures. Store it with the other secrets of your receiver.';
