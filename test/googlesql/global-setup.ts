import { installGoogleSql } from './install.ts';

/** Before any suite: what they all need is there. */
export default function setup(): void {
  installGoogleSql();
}
