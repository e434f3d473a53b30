import type { FastifyPluginAsync } from 'fastify';
import { nodeAnswers } from './node.ts';
import type { ReceiverOptions } from './receiver.ts';

export interface FastifyReceiverOptions extends ReceiverOptions {
  path: string;
}

/** Returns a plugin with its own route. Body parsers outside the plugin are not affected. */
export function fastifyReceiver(options: FastifyReceiverOptions): FastifyPluginAsync {
  const answerTo = nodeAnswers(options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.post(options.path, async (request, reply) => {
      const { status, headers, body } = await answerTo(request.raw);
      return reply.code(status).headers(headers).send(body);
    });
  };
}
