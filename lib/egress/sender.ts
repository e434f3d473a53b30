import { isMailUrl } from '../model/url-origin.ts';
import type { Sender } from './http-sender.ts';

/** Sends by mail if the webhook's URL is an email address. Without a mail server such attempts are `blocked`. */
export function createSender(http: Sender, mail: Sender | null): Sender {
  return {
    send: (request) => (isMailUrl(request.url) ? (mail ?? http) : http).send(request),
    endWaits() {
      http.endWaits();
      mail?.endWaits();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([http[Symbol.asyncDispose](), mail?.[Symbol.asyncDispose]()]);
    },
  };
}
