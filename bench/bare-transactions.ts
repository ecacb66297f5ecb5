// The database alone: transactions with a given number of rows, each durable before the next one begins.
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { answerParent } from './child.ts'
import type { Sample } from './rounds.ts'

type BareOptions = { databaseUrl: string; rows: number }

/** `commitOne` runs a transaction of `rows` rows; `close` closes the connection. */
type Bare = { commitOne(): void | Promise<void>; close(): void | Promise<void> }

const { databaseUrl, rows } = JSON.parse(process.argv[2] ?? '') as BareOptions
const text = 'x'.repeat(300)

function openSqlite(): Bare {
  const database = new DatabaseSync(databaseUrl)
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  database.exec('create table facts (id integer primary key autoincrement, text text not null)')
  const insert = database.prepare('insert into facts (text) values (?)')
  return {
    commitOne() {
      database.exec('begin immediate')
      for (let row = 0; row < rows; row += 1) insert.run(text)
      database.exec('commit')
    },
    close: () => database.close(),
  }
}

async function openPostgres(): Promise<Bare> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('create table facts (id bigint generated always as identity primary key, text text not null)')
  const insert = { name: 'insert', text: 'insert into facts (text) select $1 from generate_series(1, $2)' }
  return {
    async commitOne() {
      await client.query('begin')
      await client.query({ ...insert, values: [text, rows] })
      await client.query('commit')
    },
    close: () => client.end(),
  }
}

const bare = /^postgres(ql)?:/.test(databaseUrl) ? await openPostgres() : openSqlite()

async function run(seconds: number): Promise<Sample> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  let count = 0
  for (; performance.now() - startedAt < seconds * 1000; count += 1) {
    const committing = bare.commitOne()
    if (committing !== undefined) await committing
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return { rate: (count / (performance.now() - startedAt)) * 1000, cpuMicros: (user + system) / count }
}

answerParent({}, { run }, async () => bare.close())
