/** Datasets as the catalog keeps them. */
export interface DatasetResource {
  readonly projectId: string;
  readonly datasetId: string;
  readonly location: string;
  readonly friendlyName?: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds that new tables live; `undefined` for ever. */
  readonly defaultTableExpirationMs?: string;
  /** Milliseconds since the epoch. */
  readonly creationTime: number;
  readonly lastModifiedTime: number;
  readonly etag: string;
}
