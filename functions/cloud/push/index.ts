export { decodeEvent, decodePush, MAX_BODY_BYTES } from './decode.ts';
export { PushDecodeError, type PushMessage, type PushRequest } from './message.ts';
