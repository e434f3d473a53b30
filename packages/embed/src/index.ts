export { TokenError, type TokenErrorReason } from './token-error.ts';
export {
  createTokenSource,
  type Reported,
  type TokenSource,
  type TokenSourceOptions,
} from './token-source.ts';
