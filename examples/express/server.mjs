import express from 'express';
import { expressReceiver } from '@agent-herald/receiver/express';

const app = express();

// Before express.json(): the signature is checked over the raw body.
app.post(
  '/express',
  expressReceiver({
    secrets: process.env.WEBHOOK_SECRET,
    onEvent(event) {
      console.log(`verified ${event.event}: ${event.data.agentName}`);
    },
    onError: console.error,
  }),
);

const server = app.listen(process.env.PORT ?? 4000, (error) => {
  if (error) {
    console.error(`${error.message}; stop the program that uses the port, or set PORT`);
    process.exit(1);
  }
  console.log(`listening on ${server.address().port}`);
});
