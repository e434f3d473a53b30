test('passes, and leaves a rejection that nobody awaits', () => {
  void Promise.reject(new Error('outside of a test'));
});
