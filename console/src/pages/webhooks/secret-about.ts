/** The text of the dialog of a new secret. */
export const secretAbout =
  'Your receiver uses it to verify signatures. Store it with the other secrets of your receiver.';

/** The hint of a field for a secret that the receiver generated. */
export const ownSecret =
  'Empty: the service generates it. Otherwise whsec_ and 24 to 64 random bytes in base64.';
