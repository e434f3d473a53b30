// A process that sends a request to each URL of its command line and prints the results, to test its environment.
import { createHttpSender } from '../../lib/egress/http-sender.ts';

const policy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
} as const;

await using sender = createHttpSender({ policy });
const send = (url: string) => sender.send({ url, headers: {}, body: '{}' });
const results = await Promise.all(process.argv.slice(2).map(send));
process.stdout.write(JSON.stringify(results));
