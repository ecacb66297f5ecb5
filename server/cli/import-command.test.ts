import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { create } from 'tar'
import { harbour, writeExport } from '../../test/importing/export-builder.ts'
import { smallPng } from '../../test/pictures.ts'
import { runCommand } from '../../test/processes/command.ts'
import { startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('the first imported organization becomes the root, the next one keeps its subdomain, and repeating an import is refused', async () => {
  const folder = await temporaryFolder()
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, EXTERNAL_URL: 'http://parley.test' }
  const exported = await writeExport(harbour(smallPng))
  const archive = `${folder}/export.tar.gz`
  await create({ file: archive, cwd: dirname(exported), gzip: true }, [exported.slice(dirname(exported).length + 1)])
  const importIt = (...words: string[]) => runCommand(['org', 'import', archive, ...words], paths)

  const first = await importIt()
  const second = await importIt('--json')
  const third = await importIt()

  assert.deepEqual([first.code, first.complaint], [0, ''])
  assert.match(first.output, /^Imported Harbour to http:\/\/parley\.test\.\n\nimported +count\npeople +5\n/)
  assert.match(first.output, /\nmessages +9\n/)
  assert.match(first.output, /\nskipped +count +why\npasswords +4 +exports contain none: /)
  const events = JSON.parse(second.output)
  assert.partialDeepStrictEqual(events, {
    organization: 'Harbour',
    url: 'http://harbour.parley.test',
    imported: { bots: 1 },
  })
  assert.deepEqual([third.code, third.output], [1, ''])
  assert.equal(third.complaint, "There is already an organization with the subdomain 'harbour'.\n")
})

test('nothing is imported beside a running server, into an in-memory database, or from a missing file', async () => {
  const folder = await temporaryFolder()
  const exported = await writeExport(harbour(smallPng))
  const server = await startKillableServer(folder)
  const importInto = (DATABASE_URL: string, from: string) =>
    runCommand(['org', 'import', from], { DATABASE_URL, DATA_DIR: folder })

  const served = await importInto(`${folder}/parley.db`, exported)
  await server.kill()
  const inMemory = await importInto('memory', exported)
  const nowhere = await importInto(`${folder}/parley.db`, `${folder}/nowhere.tar.gz`)

  assert.deepEqual(
    [served, inMemory, nowhere].map(({ code }) => code),
    [1, 1, 1],
  )
  assert.match(served.complaint, /is already being served by process \d+\. Stop that process first\.\n$/)
  assert.match(inMemory.complaint, /^An in-memory database is lost when this command exits\./)
  assert.equal(nowhere.complaint, `${folder}/nowhere.tar.gz does not exist.\n`)
})
