/** A value that cannot be read, computed or kept. Its message is what BigQuery says of the query that met it. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}
