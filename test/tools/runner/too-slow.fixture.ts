test('passes', () => undefined);

test('takes longer than its limit', () => new Promise(() => undefined), 100);
