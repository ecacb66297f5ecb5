import pg from 'pg'

export type Statement = { text: string; values: readonly unknown[] }

type Query = (this: unknown, ...args: unknown[]) => unknown

/** Returns each statement that this process sends to PostgreSQL during `work` once, with its first values. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const found = new Map<string, Statement>()
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  prototype.query = function (...args) {
    const [config] = args
    if (typeof config === 'object' && config !== null && 'text' in config) {
      const { text, values = [] } = config as { text: string; values?: unknown[] }
      if (!found.has(text)) found.set(text, { text, values })
    }
    return query.apply(this, args)
  }
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return [...found.values()]
}
