import type { FastifyPluginAsync } from 'fastify';
import { nodeResponder } from './node.ts';
import type { ReceiverOptions } from './receiver.ts';

export interface FastifyReceiverOptions extends ReceiverOptions {
  path: string;
}

/** Returns a plugin with its own route. Body parsers outside the plugin are not affected. */
export function fastifyReceiver(options: FastifyReceiverOptions): FastifyPluginAsync {
  const respondTo = nodeResponder(options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.post(options.path, async (request, reply) => {
      const { status, headers, body } = await respondTo(request.raw);
      return reply.code(status).headers(headers).send(body);
    });
  };
}
