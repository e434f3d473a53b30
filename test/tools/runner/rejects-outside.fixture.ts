test('passes, and leaves a rejection that nobody awaits', () => {
  setTimeout(() => void Promise.reject(new Error('outside of a test')), 50);
});

afterAll(() => new Promise((resolve) => setTimeout(resolve, 200)));
