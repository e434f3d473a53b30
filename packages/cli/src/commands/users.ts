import type { Command } from 'commander';
import type { UserToken } from '../../../client-ts/src/index.ts';
import { limitOption } from '../arguments.ts';
import { type Columns, Session, take } from '../session.ts';

const columns: Columns<UserToken> = {
  uid: (token) => token.uid,
  'api key': (token) => token.apiKeyUid,
  tenant: (token) => token.externalTenantId,
  issued: (token) => token.issuedAt,
  expires: (token) => token.expiresAt,
};

export function addUsers(program: Command): void {
  const users = program.command('users').description('list and revoke the tokens of users');
  users
    .command('tokens')
    .description('list the valid tokens of a user')
    .argument('<userUid>')
    .addOption(limitOption())
    .action(async (userUid: string, { limit }: { limit: number }, command: Command) => {
      const session = new Session(command);
      session.list(await take(session.client.users.tokens(userUid), limit), columns);
    });
  users
    .command('revoke-token')
    .description('revoke one token; the other tokens of the user stay valid')
    .argument('<userUid>')
    .argument('<tokenUid>')
    .action(async (...[userUid, tokenUid, , command]: [string, string, object, Command]) => {
      const session = new Session(command);
      await session.client.users.revokeToken(userUid, tokenUid);
      session.show({ revoked: tokenUid });
    });
}
