export { decodeEvent, decodePush, MAX_BODY_BYTES } from './decode.ts';
export { PushDecodeError, type PushMessage, type PushRequest } from './message.ts';
export { type AllowedIdentity, PushIdentityError } from './identity-claims.ts';
export {
  type CertificateSource,
  type IdentifiedRequest,
  type PushIdentity,
  type PushVerifier,
  pushVerifier,
} from './oidc.ts';
