import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { findRealms } from '#realms/queries.ts'
import { storedFiles } from '../../../test/files.ts'
import { startChat } from '../../../test/harness.ts'
import { exportIds, harbour, message, type TestExport, writeExport } from '../../../test/importing/export-builder.ts'
import { importInto } from '../../../test/importing/import-into.ts'
import { smallPng } from '../../../test/pictures.ts'

const first = (rows: readonly Record<string, unknown>[] | undefined): Record<string, unknown> => {
  const [row] = rows ?? []
  assert(row)
  return row
}

const broken: [string, (given: TestExport) => void, RegExp][] = [
  [
    'a value of the wrong type',
    ({ realm }) => Object.assign(first(realm['zerver_userprofile']), { full_name: 7 }),
    /^realm\.json, zerver_userprofile, row 1: full_name: /,
  ],
  [
    'two organizations',
    ({ realm }) => realm.zerver_realm.push({ ...first(realm.zerver_realm), id: 10 }),
    /^realm\.json: zerver_realm must have one row/,
  ],
  [
    'two accounts with one id',
    ({ realm }) => realm['zerver_userprofile']?.push(first(realm['zerver_userprofile'])),
    /^realm\.json, zerver_userprofile: two rows have the id 11\.$/,
  ],
  [
    'two accounts with one address',
    ({ realm }) => Object.assign(realm['zerver_userprofile']?.[1] ?? {}, { delivery_email: 'MARA@harbour.example' }),
    /^realm\.json, zerver_userprofile, 12: another account has the address mara@harbour\.example\.$/,
  ],
  [
    'no owner',
    ({ realm }) => Object.assign(first(realm['zerver_userprofile']), { role: 200 }),
    /no active account is an owner of the organization\. Name one with --owner-email\.$/,
  ],
  [
    'two channels with one name',
    ({ realm }) => Object.assign(realm['zerver_stream']?.[1] ?? {}, { name: 'Docks' }),
    /^realm\.json, zerver_stream, 32: another channel has the name Docks\.$/,
  ],
  [
    'an invalid channel name',
    ({ realm }) => Object.assign(first(realm['zerver_stream']), { name: 'a\u0000b' }),
    /^realm\.json, zerver_stream, 31: Invalid character in channel name/,
  ],
  [
    'a subscription of an unknown account',
    ({ realm }) => realm['zerver_subscription']?.push({ user_profile: 999, recipient: 431 }),
    /^realm\.json, zerver_subscription, row 10: there is no account 999\.$/,
  ],
  [
    'an unknown member of a group',
    ({ realm }) => realm['zerver_usergroupmembership']?.push({ user_group: 220, user_profile: 999 }),
    /^realm\.json, zerver_usergroupmembership, 220: there is no account 999\.$/,
  ],
  [
    'a message from an unknown account',
    ({ messageFiles }) => messageFiles[1]?.['zerver_message']?.push(message(7100, 999, 431, 'x', 'x')),
    /^messages-000002\.json, zerver_message, id 7100: its sender 999 does not exist\.$/,
  ],
  [
    'a message to an unknown recipient',
    ({ messageFiles }) => messageFiles[1]?.['zerver_message']?.push(message(7100, exportIds.mara, 999, 'x', 'x')),
    /^messages-000002\.json, zerver_message, id 7100: there is no recipient 999\.$/,
  ],
  [
    'two messages with one id',
    ({ messageFiles }) => messageFiles[1]?.['zerver_message']?.push(message(7001, exportIds.mara, 431, 'x', 'x')),
    /^messages-000002\.json, zerver_message: two rows have the id 7001\.$/,
  ],
  [
    'a direct message received by someone else',
    ({ messageFiles }) =>
      messageFiles[1]?.['zerver_usermessage']?.push({ user_profile: exportIds.gil, message: 7005, flags_mask: 0 }),
    /^messages-000002\.json, zerver_usermessage of message 7005: the account 14 is not in the conversation\.$/,
  ],
  [
    'a message that someone received twice',
    ({ messageFiles }) =>
      messageFiles[0]?.['zerver_usermessage']?.push({ user_profile: exportIds.gil, message: 7001, flags_mask: 0 }),
    /^messages-000001\.json, zerver_usermessage of message 7001: the account 14 has two rows\.$/,
  ],
  [
    'a reaction to an unknown message',
    ({ realm }) => Object.assign(first(realm['zerver_reaction']), { message: 999 }),
    /^realm\.json, zerver_reaction of message 999: the message is missing\.$/,
  ],
  [
    'a file outside the export',
    ({ attachments }) => Object.assign(first(attachments), { path_id: '../../etc/passwd' }),
    /^attachment\.json, zerver_attachment, 81: \.\.\/\.\.\/etc\/passwd is outside the export\.$/,
  ],
  [
    'an invalid edit history',
    ({ messageFiles }) => Object.assign(first(messageFiles[0]?.['zerver_message']), { edit_history: '{"a":1}' }),
    /^messages-000001\.json, edit_history of message 7001: not a list\.$/,
  ],
]

for (const [what, breakIt, complaint] of broken) {
  test(`an export with ${what} is refused with its position, and nothing is imported`, async () => {
    const chat = await startChat()
    const given = harbour(smallPng)
    breakIt(given)

    await assert.rejects(importInto(chat, await writeExport(given)), { message: complaint })

    await assertNothingCame(chat)
  })
}

test('invalid JSON files, missing files and incomplete exports are reported', async () => {
  const chat = await startChat()
  const write = async (name: string, content: string) => {
    const folder = await writeExport(harbour(smallPng))
    await writeFile(`${folder}/${name}`, content)
    return folder
  }

  await assert.rejects(importInto(chat, await write('messages-000002.json', '{')), {
    message: 'messages-000002.json: not valid JSON.',
  })
  await assert.rejects(importInto(chat, await write('realm.json', '[]')), {
    message: /^realm\.json: not an object/,
  })
  await assert.rejects(importInto(chat, await write('messages-000003.json.partial', '{}')), {
    message: 'messages-000003.json.partial: the export was not completed.',
  })
  await assertNothingCame(chat)
})

test('an organization is not imported under a subdomain that is taken or invalid', async () => {
  const chat = await startChat()
  await chat.organization('busy')
  const folder = await writeExport(harbour(smallPng))

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
