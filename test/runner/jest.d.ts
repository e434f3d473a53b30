// Jest's spies can be declared with `using`; @types/jest does not say so yet.
declare namespace jest {
  // oxlint-disable-next-line typescript/no-explicit-any -- must repeat the parameters of @types/jest
  interface MockInstance<T, Y extends any[], C = any> extends Disposable {}
}
