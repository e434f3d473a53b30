export const deliveryStates = [
  'pending',
  'delivered',
  'retrying',
  'exhausted',
  'held',
  'cancelled',
  'blocked',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const settledStates = ['delivered', 'exhausted', 'cancelled', 'blocked'] as const;
export type SettledState = (typeof settledStates)[number];

export const openStates = ['pending', 'retrying', 'held'] as const;

export function isOpen(state: DeliveryState): state is (typeof openStates)[number] {
  return (openStates as readonly DeliveryState[]).includes(state);
}
