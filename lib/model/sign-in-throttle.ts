export interface SignInThrottleDocument {
  _id: string;
  failures: number;
  blockedUntil: Date | null;
  updatedAt: Date;
}
