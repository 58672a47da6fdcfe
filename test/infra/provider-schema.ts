/** The form in which `terraform providers schema -json` writes what a provider knows, as far as it is used here. */

export type SchemaType =
  | 'string'
  | 'number'
  | 'bool'
  | readonly ['list' | 'set' | 'map', SchemaType]
  | readonly ['object', Readonly<Record<string, SchemaType>>];

export interface SchemaAttribute {
  readonly type: SchemaType;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
}

export interface SchemaBlock {
  readonly attributes: Readonly<Record<string, SchemaAttribute>>;
  readonly block_types: Record<string, SchemaNesting>;
}

export interface SchemaNesting {
  readonly nesting_mode: 'single' | 'list' | 'set';
  readonly block: SchemaBlock;
  readonly min_items?: number;
  readonly max_items?: number;
}

export interface Schema {
  readonly version: number;
  readonly block: SchemaBlock;
}

export interface SchemaFile {
  readonly provider: string;
  readonly version: string;
  readonly provider_schema: Schema;
  readonly resource_schemas: Readonly<Record<string, Schema>>;
  readonly data_source_schemas: Readonly<Record<string, Schema>>;
}
