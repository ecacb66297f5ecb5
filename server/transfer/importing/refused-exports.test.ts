import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { storedFiles } from '../../../test/files.ts'
import { startChat } from '../../../test/harness.ts'
import { exportIds, harbour, message, type TestExport, writeExport } from '../../../test/importing/export-builder.ts'
import { importInto } from '../../../test/importing/import-into.ts'
import { findRealms } from '../../organizations/realms/queries.ts'
import { drawPng } from '../../platform/encoding/png.ts'

const picture = drawPng(20, (x) => x > 0.5)

const first = (rows: readonly Record<string, unknown>[] | undefined): Record<string, unknown> => {
  const [row] = rows ?? []
  assert(row)
  return row
}

const broken: [string, (given: TestExport) => void, RegExp][] = [
  [
    'a value of another type',
    ({ realm }) => Object.assign(first(realm['zerver_userprofile']), { full_name: 7 }),
    /^realm\.json, zerver_userprofile, row 1: full_name: /,
  ],
  [
    'two organizations',
    ({ realm }) => realm.zerver_realm.push({ ...first(realm.zerver_realm), id: 10 }),
    /^realm\.json: zerver_realm must have one row/,
  ],
  [
    'two accounts of one id',
    ({ realm }) => realm['zerver_userprofile']?.push(first(realm['zerver_userprofile'])),
    /^realm\.json, zerver_userprofile: two rows have the id 11\.$/,
  ],
  [
    'two accounts of one address',
    ({ realm }) => Object.assign(realm['zerver_userprofile']?.[1] ?? {}, { delivery_email: 'MARA@harbour.example' }),
    /^realm\.json, zerver_userprofile, 12: another account has the address mara@harbour\.example\.$/,
  ],
  [
    'nobody who owns it',
    ({ realm }) => Object.assign(first(realm['zerver_userprofile']), { role: 200 }),
    /nobody with an active account owns the organization\. --owner-email names somebody\.$/,
  ],
  [
    'two channels of one name',
    ({ realm }) => Object.assign(realm['zerver_stream']?.[1] ?? {}, { name: 'Docks' }),
    /^realm\.json, zerver_stream, 32: another channel is called Docks\.$/,
  ],
  [
    'a channel that nobody can call so',
    ({ realm }) => Object.assign(first(realm['zerver_stream']), { name: 'a\u0000b' }),
    /^realm\.json, zerver_stream, 31: Invalid character in channel name/,
  ],
  [
    'a subscription of nobody',
    ({ realm }) => realm['zerver_subscription']?.push({ user_profile: 999, recipient: 431 }),
    /^realm\.json, zerver_subscription, row 10: there is no account 999\.$/,
  ],
  [
    'a member of a group who is nobody',
    ({ realm }) => realm['zerver_usergroupmembership']?.push({ user_group: 220, user_profile: 999 }),
    /^realm\.json, zerver_usergroupmembership, 220: there is no account 999\.$/,
  ],
  [
    'a message of nobody',
    ({ messageFiles }) => messageFiles[1]?.['zerver_message']?.push(message(7100, 999, 431, 'x', 'x')),
    /^messages-000002\.json, zerver_message, id 7100: there is no account 999, its sender\.$/,
  ],
  [
    'a message to nowhere',
    ({ messageFiles }) => messageFiles[1]?.['zerver_message']?.push(message(7100, exportIds.mara, 999, 'x', 'x')),
    /^messages-000002\.json, zerver_message, id 7100: there is no recipient 999\.$/,
  ],
  [
    'two messages of one id',
    ({ messageFiles }) => messageFiles[1]?.['zerver_message']?.push(message(7001, exportIds.mara, 431, 'x', 'x')),
    /^messages-000002\.json, zerver_message: two rows have the id 7001\.$/,
  ],
  [
    'a direct message received by somebody else',
    ({ messageFiles }) =>
      messageFiles[1]?.['zerver_usermessage']?.push({ user_profile: exportIds.gil, message: 7005, flags_mask: 0 }),
    /^messages-000002\.json, zerver_usermessage of message 7005: the account 14 is not in the conversation\.$/,
  ],
  [
    'a message that somebody received twice',
    ({ messageFiles }) =>
      messageFiles[0]?.['zerver_usermessage']?.push({ user_profile: exportIds.gil, message: 7001, flags_mask: 0 }),
    /^messages-000001\.json, zerver_usermessage of message 7001: two rows are of the account 14\.$/,
  ],
  [
    'a reaction to nothing',
    ({ realm }) => Object.assign(first(realm['zerver_reaction']), { message: 999 }),
    /^realm\.json, zerver_reaction of message 999: there is no such message\.$/,
  ],
  [
    'a file that leads out',
    ({ attachments }) => Object.assign(first(attachments), { path_id: '../../etc/passwd' }),
    /^attachment\.json, zerver_attachment, 81: \.\.\/\.\.\/etc\/passwd leads out of the export\.$/,
  ],
  [
    'a history that is none',
    ({ messageFiles }) => Object.assign(first(messageFiles[0]?.['zerver_message']), { edit_history: '{"a":1}' }),
    /^messages-000001\.json, edit_history of message 7001: this is no list\.$/,
  ],
]

for (const [what, breakIt, complaint] of broken) {
  test(`an export with ${what} is refused by name, and nothing of it stays`, async () => {
    const chat = await startChat()
    const given = harbour(picture)
    breakIt(given)

    await assert.rejects(importInto(chat, await writeExport(given)), { message: complaint })

    await assertNothingCame(chat)
  })
}

test('files that are no JSON, are missing or were never finished are named', async () => {
  const chat = await startChat()
  const write = async (name: string, content: string) => {
    const folder = await writeExport(harbour(picture))
    await writeFile(`${folder}/${name}`, content)
    return folder
  }

  await assert.rejects(importInto(chat, await write('messages-000002.json', '{')), {
    message: 'messages-000002.json: this is no JSON.',
  })
  await assert.rejects(importInto(chat, await write('realm.json', '[]')), {
    message: /^realm\.json: this is no object/,
  })
  await assert.rejects(importInto(chat, await write('messages-000003.json.partial', '{}')), {
    message: 'messages-000003.json.partial: the export was never finished.',
  })
  await assertNothingCame(chat)
})

test('an organization comes to no place that is taken, or cannot be one', async () => {
  const chat = await startChat()
  await chat.organization('busy')
  const folder = await writeExport(harbour(picture))

  await assert.rejects(importInto(chat, folder, 'busy'), /There is already an organization with the subdomain 'busy'\./)
  await assert.rejects(importInto(chat, folder, ''), /There is already a root organization/)
  await assert.rejects(importInto(chat, folder, 'No Place'), /A subdomain has 1 to 40 lower-case letters/)
})

async function assertNothingCame(chat: Awaited<ReturnType<typeof startChat>>): Promise<void> {
  const { db } = chat.app.services
  const names = (await findRealms(db)).map(({ name }) => name)
  assert.equal(names.includes('Harbour'), false)
  assert.deepEqual(await db.selectFrom('messages').select('id').execute(), [])
  assert.deepEqual(await db.selectFrom('channels').select('id').execute(), [])
  for (const folder of ['uploads', 'avatars', 'emoji']) assert.deepEqual(await storedFiles(chat, folder), [])
}
