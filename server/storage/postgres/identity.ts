import pg from 'pg'

/** Which database, of which installation of PostgreSQL, on which of its timelines: a standby that takes over begins one. */
const QUESTIONS = [
  'select oid::text as answer from pg_database where datname = current_database()',
  'select system_identifier::text as answer from pg_control_system()',
  'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as answer',
] as const

/** The answers to `QUESTIONS`; null for one that this PostgreSQL does not give. */
export type Identity = readonly (string | null)[]

/** The database is not the one that was served: it may lack what was committed last, and have something else instead. */
export class DatabaseReplaced extends Error {}

export async function findIdentity(client: pg.Client): Promise<Identity> {
  const answers: (string | null)[] = []
  for (const question of QUESTIONS) answers.push(await ask(client, question))
  return answers
}

export async function requireSameDatabase(client: pg.Client, known: Identity): Promise<void> {
  const found = await findIdentity(client)
  const isSame = found.every((answer, at) => answer === known[at] || answer === null || known[at] === null)
  if (isSame) return
  throw new DatabaseReplaced(
    'PostgreSQL has another database in the place of the one that was served: restored from a copy, or of a standby that ' +
      'took over, which may lack what was committed last',
  )
}

async function ask(client: pg.Client, question: string): Promise<string | null> {
  try {
    const { rows } = await client.query(question)
    return rows[0]?.answer ?? null
  } catch (error) {
    if (error instanceof pg.DatabaseError) return null
    throw error
  }
}
