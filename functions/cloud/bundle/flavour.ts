/**
 * Whether this code is a bundle for a cloud: the bundler puts `true` here (`bundle.ts`). Such a bundle has no way to let
 * anybody in, whatever its environment says.
 */
export const CLOUD_BUNDLE: boolean = false;
