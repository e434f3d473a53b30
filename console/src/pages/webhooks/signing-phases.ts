// Which secret signs which header during a rotation (docs/webhooks.md, "Rotating the secret").

export interface Rotation {
  /** The end of the overlap. */
  until: string;
  isPromoted: boolean;
}

export interface SigningPhase {
  when: string;
  /** The instant that `when` refers to, or null. */
  at: string | null;
  isNow: boolean;
  /** The secret behind `X-Webhook-Signature`, which holds only one signature. */
  bodySignature: string;
  /** The secrets behind `webhook-signature`. */
  standardSignatures: string;
}

const both = 'the new and the old secret';

/** Returns the phases from now on. Without a rotation there is one. */
export function signingPhases(rotation: Rotation | null): SigningPhase[] {
  if (rotation === null) {
    const secret = 'the secret';
    return [
      {
        when: 'No rotation in progress',
        at: null,
        isNow: true,
        bodySignature: secret,
        standardSignatures: secret,
      },
    ];
  }
  const { until, isPromoted } = rotation;
  const promoted = { bodySignature: 'the new secret', standardSignatures: both };
  const over = { bodySignature: 'the new secret', standardSignatures: 'the new secret' };
  const end = { when: 'After the overlap ends', at: until, isNow: false, ...over };
  if (isPromoted) return [{ when: 'Promoted', at: null, isNow: true, ...promoted }, end];
  return [
    {
      when: 'Before you promote the new secret',
      at: null,
      isNow: true,
      bodySignature: 'the old secret',
      standardSignatures: both,
    },
    { when: 'After you promote the new secret', at: null, isNow: false, ...promoted },
    end,
  ];
}
