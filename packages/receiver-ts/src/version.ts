export const userAgent = 'agent-herald-receiver-ts/0.1.0';
