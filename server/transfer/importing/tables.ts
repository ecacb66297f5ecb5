import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { z } from 'zod'
import { ImportError } from './import-error.ts'

/** The tables of a file in the export, by name. */
export type ExportedTables = { file: string; tables: Readonly<Record<string, unknown>> }

/** Reads a file of tables; `name` is its name in error messages. */
export async function readTables(path: string, name: string): Promise<ExportedTables> {
  const tables = await readJson(path, name)
  if (typeof tables !== 'object' || tables === null || Array.isArray(tables))
    throw new ImportError(`${name}: not an object with tables.`)
  return { file: name, tables: tables as Record<string, unknown> }
}

/** Returns the content of the file; undefined if it does not exist. */
export async function readJson(path: string, name: string): Promise<unknown> {
  let content: string
  try {
    content = await text(createReadStream(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
  try {
    return JSON.parse(content)
  } catch {
    throw new ImportError(`${name}: not valid JSON.`)
  }
}

export function hasTable({ tables }: ExportedTables, table: string): boolean {
  return tables[table] !== undefined
}

/** Returns the parsed rows of a table; a missing table has none. */
export function readRows<Shape extends z.ZodType>(
  { file, tables }: ExportedTables,
  table: string,
  shape: Shape,
): z.infer<Shape>[] {
  const rows = tables[table] ?? []
  if (!Array.isArray(rows)) throw new ImportError(`${file}: ${table} is not a list.`)
  return readList(rows, `${file}, ${table}`, shape)
}

export function readList<Shape extends z.ZodType>(rows: unknown[], name: string, shape: Shape): z.infer<Shape>[] {
  return rows.map((row, index) => {
    const { success, data, error } = shape.safeParse(withShortNames(row))
    if (success) return data
    const [issue] = error.issues
    throw new ImportError(`${name}, row ${index + 1}: ${issue?.path.join('.') || 'the row'}: ${issue?.message}`)
  })
}

/** Names that end in `_id` but are not references. */
const NO_REFERENCES = new Set(['path_id', 'type_id', 'string_id', 'last_update_id'])

/** References have two spellings, `user_profile` and `user_profile_id`; the shorter one is used. */
function withShortNames(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  let renamed: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(row)) {
    if (!name.endsWith('_id') || NO_REFERENCES.has(name)) continue
    const short = name.slice(0, -3)
    if (!(short in row)) renamed = { ...(renamed ?? row), [short]: value }
  }
  return renamed ?? row
}

/** Returns the rows by their ids, which must be unique. */
export function byId<Row extends { id: number }>(rows: readonly Row[], name: string): Map<number, Row> {
  const found = new Map<number, Row>()
  for (const row of rows) {
    if (found.has(row.id)) throw new ImportError(`${name}: two rows have the id ${row.id}.`)
    found.set(row.id, row)
  }
  return found
}
