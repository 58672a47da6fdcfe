// Google's packages are CommonJS. esbuild gives such a package, imported dynamically, without its names; so what is loaded
// when it is needed is a module of ours that imports it statically. A test holds that no other dynamic import is made.
export { GoogleAuth, OAuth2Client } from 'google-auth-library';
