/** CREATE, DROP and ALTER. */
import type {
  AlterAction,
  AlterTable,
  ColumnDefinition,
  ColumnType,
  CreateSchema,
  CreateTable,
  CreateView,
  DdlStatement,
  Drop,
  Options,
} from '../ast/statement.ts';
import { unsupported } from '../sql-error.ts';
import { tableName } from './dml.ts';
import { tablePath } from './from.ts';
import type { TokenStream } from './token-stream.ts';
import { typeName } from './type-name.ts';

export function create(stream: TokenStream): DdlStatement {
  const at = stream.at;
  stream.expectWords('CREATE');
  const orReplace = stream.acceptWords('OR', 'REPLACE');
  if (stream.acceptWords('TABLE')) return createTable(stream, at, orReplace);
  if (stream.acceptWords('VIEW')) return createView(stream, at, orReplace);
  if (!orReplace && stream.acceptWords('SCHEMA')) return createSchema(stream, at);
  throw unsupported(`CREATE ${stream.peek().text.toUpperCase()}`, stream.at);
}

function ifNotExists(stream: TokenStream): boolean {
  return stream.acceptWords('IF', 'NOT', 'EXISTS');
}

export function options(stream: TokenStream): Options {
  if (!stream.acceptWords('OPTIONS')) return [];
  stream.expectSymbol('(');
  if (stream.acceptSymbol(')')) return [];
  const items = stream.list(() => {
    const name = stream.identifier().toLowerCase();
    stream.expectSymbol('=');
    return { name, value: stream.expression() };
  });
  stream.expectSymbol(')');
  return items;
}

function createTable(stream: TokenStream, at: number, orReplace: boolean): CreateTable {
  const exists = ifNotExists(stream);
  const table = tableName(stream);
  for (const word of ['CLONE', 'COPY'])
    if (stream.isWords(word)) throw unsupported(`CREATE TABLE … ${word}`, stream.at);
  const like = stream.acceptWords('LIKE') ? tableName(stream) : undefined;
  const columns = !like && stream.isSymbol('(') ? columnList(stream) : undefined;
  const partitionBy = stream.acceptWords('PARTITION', 'BY') ? stream.expression() : undefined;
  const clusterBy = stream.acceptWords('CLUSTER', 'BY') ? stream.list(() => stream.identifier()) : [];
  const tableOptions = options(stream);
  const query = stream.acceptWords('AS') ? stream.query() : undefined;
  return {
    kind: 'createTable',
    table,
    orReplace,
    ifNotExists: exists,
    clusterBy,
    options: tableOptions,
    at,
    ...(columns && { columns }),
    ...(like && { like }),
    ...(partitionBy && { partitionBy }),
    ...(query && { query }),
  };
}

/** Column definitions; an unenforced PRIMARY KEY or FOREIGN KEY among them is read and not kept. */
function columnList(stream: TokenStream): ColumnDefinition[] {
  stream.expectSymbol('(');
  const columns: ColumnDefinition[] = [];
  while (!stream.isSymbol(')')) {
    if (!keyConstraint(stream)) columns.push(columnDefinition(stream));
    if (!stream.acceptSymbol(',')) break;
  }
  stream.expectSymbol(')');
  return columns;
}

function keyConstraint(stream: TokenStream): boolean {
  if (stream.isWords('CONSTRAINT')) {
    stream.next();
    stream.identifier();
  }
  if (stream.acceptWords('PRIMARY', 'KEY')) {
    stream.parenthesizedList(() => stream.identifier());
    stream.expectWords('NOT', 'ENFORCED');
    return true;
  }
  if (stream.isWords('FOREIGN', 'KEY')) throw unsupported('FOREIGN KEY', stream.at);
  return false;
}

export function columnDefinition(stream: TokenStream): ColumnDefinition {
  const at = stream.at;
  const name = stream.identifier('a column name');
  const type = columnType(stream, { pending: 0 });
  return { name, type, at, ...columnAttributes(stream) };
}

function columnAttributes(stream: TokenStream): Omit<ColumnDefinition, 'name' | 'type' | 'at'> {
  let notNull = false;
  let columnOptions: Options = [];
  let defaultValue: ColumnDefinition['defaultValue'];
  let defaultValueEnd: number | undefined;
  for (;;) {
    if (stream.acceptWords('NOT', 'NULL')) notNull = true;
    else if (stream.acceptWords('DEFAULT')) {
      defaultValue = stream.expression();
      defaultValueEnd = stream.previousEnd;
    } else if (stream.isWords('OPTIONS')) columnOptions = options(stream);
    else if (stream.acceptWords('PRIMARY', 'KEY')) stream.expectWords('NOT', 'ENFORCED');
    else if (stream.isWords('COLLATE')) throw unsupported('COLLATE', stream.at);
    else break;
  }
  return {
    notNull,
    options: columnOptions,
    ...(defaultValue && { defaultValue }),
    ...(defaultValueEnd !== undefined && { defaultValueEnd }),
  };
}

/** Takes a `>`, also where two were read as `>>`. */
function closeAngle(stream: TokenStream, open: { pending: number }): void {
  if (open.pending > 0) open.pending--;
  else if (stream.acceptSymbol('>>')) open.pending++;
  else stream.expectSymbol('>');
}

function columnType(stream: TokenStream, open: { pending: number }): ColumnType {
  return stream.nested(() => {
    const at = stream.at;
    if (stream.isSymbol('<', 1) && stream.acceptWords('ARRAY')) {
      stream.next();
      const element = columnType(stream, open);
      closeAngle(stream, open);
      return { kind: 'array', element, at };
    }
    if (stream.isSymbol('<', 1) && stream.acceptWords('STRUCT')) {
      stream.next();
      const fields: ColumnDefinition[] = [];
      do {
        const fieldAt = stream.at;
        const name = stream.identifier('a field name');
        const type = columnType(stream, open);
        fields.push({ name, type, at: fieldAt, ...columnAttributes(stream) });
      } while (open.pending === 0 && stream.acceptSymbol(','));
      closeAngle(stream, open);
      return { kind: 'struct', fields, at };
    }
    return { kind: 'scalar', type: typeName(stream) };
  });
}

function createView(stream: TokenStream, at: number, orReplace: boolean): CreateView {
  const exists = ifNotExists(stream);
  const table = tableName(stream);
  const columns = stream.isSymbol('(') ? stream.parenthesizedList(() => viewColumn(stream)) : undefined;
  const viewOptions = options(stream);
  stream.expectWords('AS');
  const from = stream.at;
  const query = stream.query();
  const text = stream.text.slice(from, stream.previousEnd);
  return {
    kind: 'createView',
    table,
    orReplace,
    ifNotExists: exists,
    options: viewOptions,
    query,
    text,
    at,
    ...(columns && { columns }),
  };
}

function viewColumn(stream: TokenStream): string {
  const name = stream.identifier();
  options(stream);
  return name;
}

function createSchema(stream: TokenStream, at: number): CreateSchema {
  const exists = ifNotExists(stream);
  const path = tablePath(stream);
  return { kind: 'createSchema', path, ifNotExists: exists, options: options(stream), at };
}

export function drop(stream: TokenStream): Drop {
  const at = stream.at;
  stream.expectWords('DROP');
  for (const what of ['TABLE', 'VIEW', 'SCHEMA'] as const) {
    if (stream.acceptWords(what)) {
      const ifExists = stream.acceptWords('IF', 'EXISTS');
      const table = tableName(stream);
      const cascade = stream.acceptWords('CASCADE');
      if (!cascade) stream.acceptWords('RESTRICT');
      return { kind: 'drop', what, table, ifExists, cascade, at };
    }
  }
  throw unsupported(`DROP ${stream.peek().text.toUpperCase()}`, stream.at);
}

export function alter(stream: TokenStream): AlterTable {
  const at = stream.at;
  stream.expectWords('ALTER');
  if (!stream.acceptWords('TABLE')) throw unsupported(`ALTER ${stream.peek().text.toUpperCase()}`, stream.at);
  const ifExists = stream.acceptWords('IF', 'EXISTS');
  const table = tableName(stream);
  return { kind: 'alterTable', table, ifExists, actions: stream.list(() => alterAction(stream)), at };
}

function alterAction(stream: TokenStream): AlterAction {
  const at = stream.at;
  if (stream.acceptWords('ADD', 'COLUMN')) {
    const exists = ifNotExists(stream);
    return { kind: 'addColumn', ifNotExists: exists, column: columnDefinition(stream) };
  }
  if (stream.acceptWords('DROP', 'COLUMN')) {
    const ifExists = stream.acceptWords('IF', 'EXISTS');
    return { kind: 'dropColumn', ifExists, name: stream.identifier(), at };
  }
  if (stream.acceptWords('RENAME', 'COLUMN')) {
    const ifExists = stream.acceptWords('IF', 'EXISTS');
    const from = stream.identifier();
    stream.expectWords('TO');
    return { kind: 'renameColumn', ifExists, from, to: stream.identifier(), at };
  }
  if (stream.acceptWords('RENAME', 'TO')) return { kind: 'renameTable', to: stream.identifier() };
  if (stream.acceptWords('SET')) return { kind: 'setOptions', options: options(stream) };
  if (stream.acceptWords('ALTER', 'COLUMN')) {
    const name = stream.identifier();
    if (!stream.acceptWords('DROP', 'NOT', 'NULL'))
      throw unsupported('ALTER COLUMN other than DROP NOT NULL', stream.at);
    return { kind: 'dropNotNull', name, at };
  }
  throw unsupported(`ALTER TABLE ${stream.peek().text.toUpperCase()}`, at);
}
