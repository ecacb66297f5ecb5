// Nothing but SQLite: transactions of so many rows, each durable before the next one begins.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { answerParent } from './child.ts'
import type { Sample } from './rounds.ts'

export type BareOptions = { folder: string; rows: number }

const { folder, rows } = JSON.parse(process.argv[2] ?? '') as BareOptions
const database = new DatabaseSync(join(folder, 'bare.db'))
database.exec('pragma journal_mode = wal; pragma synchronous = full')
database.exec('create table facts (id integer primary key autoincrement, text text not null)')
const insert = database.prepare('insert into facts (text) values (?)')
const text = 'x'.repeat(300)

function run(seconds: number): Sample {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  let count = 0
  for (; performance.now() - startedAt < seconds * 1000; count += 1) {
    database.exec('begin immediate')
    for (let row = 0; row < rows; row += 1) insert.run(text)
    database.exec('commit')
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return { rate: (count / (performance.now() - startedAt)) * 1000, cpuMicros: (user + system) / count }
}

answerParent({}, { run }, async () => database.close())
