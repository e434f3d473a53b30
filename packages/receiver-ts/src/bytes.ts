/** Checks for a Uint8Array, also of another realm: test runners such as Jest run code in its own. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    Object.prototype.toString.call(value) === '[object Uint8Array]' && ArrayBuffer.isView(value)
  );
}
