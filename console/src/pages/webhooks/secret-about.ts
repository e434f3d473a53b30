/** The text of the dialog of a new secret. */
export const secretAbout =
  'Your receiver uses it to verify signatures. Store it with the other secrets of your receiver.';
