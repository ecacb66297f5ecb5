import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openFileStore } from '#storage/files.ts'
import { startChat } from '../../../test/harness.ts'
import { exportIds, harbour, LONG_AGO, message, writeExport } from '../../../test/importing/export-builder.ts'
import { importInto, messagesOf } from '../../../test/importing/import-into.ts'
import { smallPng } from '../../../test/pictures.ts'
import { sized } from '../../../test/size.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { importOrganization } from '../import-organization.ts'

const MEBIBYTE = 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns an export with this many additional files, each with a thousand messages of 2 KiB in the public channel. */
function withMany(files: number) {
  const given = harbour(smallPng)
  for (let file = 0; file < files; file += 1) {
    const ids = Array.from({ length: 1000 }, (_, index) => 10_000 + file * 1000 + index)
    given.messageFiles.push({
      zerver_message: ids.map((id) => message(id, exportIds.tom, 431, `day ${file}`, `${id} ${'tide '.repeat(400)}`)),
      zerver_usermessage: ids.flatMap((id) => [
        { user_profile: exportIds.mara, message: id, flags_mask: id % 1000 === 999 ? 0 : 1 },
        { user_profile: exportIds.tom, message: id, flags_mask: 1 },
      ]),
    })
  }
  return given
}

test('only a part of many messages is in memory at a time', async () => {
  const files = sized(8, 20)
  const folder = await writeExport(withMany(files))
  await using storage = await openTestStorage({ url: await sharedDatabaseUrl() })
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  let most = 0
  const onProgress = () => {
    collectGarbage()
    most = Math.max(most, process.memoryUsage().heapUsed - before)
  }

  const { imported } = await importOrganization({
    storage,
    files: openFileStore(null),
    folder,
    subdomain: '',
    onProgress,
  })

  assert.equal(imported['messages'], files * 1000 + 9)
  // A thousand messages take 4 MiB with their HTML.
  assert.ok(most < files * 2 * MEBIBYTE, `${Math.round(most / MEBIBYTE)} MiB were in memory`)
})

test('unread messages are found among many messages, and messages from converters are sorted by time', async () => {
  const chat = await startChat()
  const given = withMany(2)
  Object.assign(given.realm, { sort_by_date: true })
  const [latest] = given.messageFiles[1]?.['zerver_message'] ?? []
  Object.assign(latest ?? {}, { date_sent: LONG_AGO + 1_000_000 })

  const { person } = await importInto(chat, await writeExport(given))
  const mara = await person('mara')

  const { unread_msgs: unread } = await mara.succeed('POST /register', {
    fetch_event_types: ['message', 'update_message_flags'],
  })
  assert.equal(unread.count, 4)
  assert.equal((await messagesOf(mara)).at(-1)?.['content'], 'Between us')
})
