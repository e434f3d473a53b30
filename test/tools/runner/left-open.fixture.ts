test('passes, and leaves a timer', () => {
  setInterval(() => undefined, 1_000);
});
