import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { fetchPage, namesIn, storedFiles, upload } from '../../test/files.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { harbour, writeExport } from '../../test/importing/export-builder.ts'
import { exportFrom } from '../../test/importing/export-from.ts'
import { importInto, messagesOf } from '../../test/importing/import-into.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { smallPng } from '../../test/pictures.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { ARCHIVED_FOLDER, exportArchive, packExport } from './export-organization.ts'

type Harbour = { chat: Chat } & Awaited<ReturnType<typeof importInto>>

async function importFresh(folder: string): Promise<Harbour> {
  const chat = await startChat()
  return { chat, ...(await importInto(chat, folder)) }
}

/** Imports the harbour organization, and adds content that the imported export does not contain. */
async function startHarbour() {
  const here = await importFresh(await writeExport(harbour(smallPng)))
  const [mara, tom, ida] = [await here.person('mara'), await here.person('tom'), await here.person('ida')]
  const docks = { name: 'docks' }
  const path = await upload(here.chat, tom, { name: 'tides.txt', bytes: 'low at six' })
  const id = await sendToChannel(tom, docks, `See [tides](${path}), @**Mara Quay|${mara.id}**`, 'tide')
  await tom.succeed(`PATCH /messages/${id}`, { content: `See the [tides](${path}), @**Mara Quay|${mara.id}**` })
  await mara.succeed(`PATCH /messages/${id}`, { topic: 'moon', send_notification_to_new_thread: false })
  await mara.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  await mara.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'starred' })
  const unnamed = await sendToChannel(tom, docks, 'without a topic', '')
  await mara.succeed(`PATCH /messages/${unnamed}`, { topic: 'named', send_notification_to_new_thread: false })
  await tom.succeed(`POST /messages/${unnamed}/reactions`, { emoji_name: 'parley' })
  await sendDirect(ida, [ida], 'a note to myself')
  await sendDirect(mara, [tom, ida], 'for us three again')
  await sendToChannel(mara, docks, '/poll Lunch?\nfish\nbread', 'lunch')
  await mara.succeed('PATCH /realm', {
    message_content_delete_limit_seconds: '"unlimited"',
    message_edit_history_visibility_policy: 'moves',
    can_create_bots_group: { new: { direct_members: [tom.id, ida.id], direct_subgroups: [] } },
  })
  return here
}

/** Returns everything that a user can read, with names instead of ids. */
async function readingOf(person: Person) {
  const messages = await messagesOf(person)
  return messages.map((message) => ({
    from: message['sender_full_name'],
    at: message['timestamp'],
    topic: message['subject'],
    where:
      typeof message['display_recipient'] === 'string'
        ? message['display_recipient']
        : message['display_recipient'].map((one: { full_name: string }) => one.full_name).sort(),
    text: message['content'].replace(/\/user_uploads\/[^)\s]+\//g, '').replace(/\d+/g, '#'),
    flags: message['flags'],
    client: message['client'],
    edits: (message['edit_history'] ?? []).map((edit: Record<string, unknown>) => edit['prev_topic']),
    isEdited: 'last_edit_timestamp' in message,
    reactions: message['reactions'].map((one: Record<string, unknown>) => one['reaction_type']),
    parts: message['submessages'].length,
  }))
}

const names = ['mara', 'tom', 'ida', 'gil'] as const

async function readingsOf({ person }: Harbour) {
  const readings: Record<string, unknown> = {}
  for (const name of names) readings[name] = await readingOf(await person(name))
  return readings
}

test('in an organization imported from an export everyone reads what they could read before, and nothing else', async () => {
  const here = await startHarbour()
  const before = await readingsOf(here)
  const { folder, counts } = await exportFrom(here.chat, here.realm)

  const there = await importFresh(folder)
  const after = await readingsOf(there)

  assert.deepEqual(after, before)
  assert.deepEqual(there.imported['messages'], counts['messages'])
  assert.deepEqual(
    there.skipped.map(({ what }) => what),
    ['passwords'],
  )
})

test('settings, groups, people and files survive an export and import', async () => {
  const here = await startHarbour()
  const { folder } = await exportFrom(here.chat, here.realm)

  const there = await importFresh(folder)
  const [mara, tom, ida, gil] = [
    await there.person('mara'),
    await there.person('tom'),
    await there.person('ida'),
    await there.person('gil'),
  ]
  const state = await tom.succeed('POST /register', {})
  const { members } = await mara.succeed('GET /users', { include_custom_profile_fields: true })
  const [file] = (await messagesOf(tom, [{ operator: 'topic', operand: 'moon' }])).map(
    ({ content }) => /\/user_uploads\/[^)]+/.exec(content)?.[0] ?? '',
  )

  assert.partialDeepStrictEqual(state, {
    realm_name: 'Harbour',
    realm_message_content_delete_limit_seconds: null,
    realm_message_content_edit_limit_seconds: null,
    realm_message_edit_history_visibility_policy: 'moves',
    realm_can_create_bots_group: { direct_members: [tom.id, ida.id], direct_subgroups: [] },
    realm_can_create_groups: { direct_members: [tom.id], direct_subgroups: [] },
    realm_domains: [{ domain: 'harbour.example', allow_subdomains: true }],
    alert_words: ['storm'],
  })
  assert.partialDeepStrictEqual(
    members.find((one: { full_name: string }) => one.full_name === 'Mara Quay'),
    { role: Role.owner, delivery_email: 'mara@harbour.example' },
  )
  assert.equal((await fetchPage(there.chat, file ?? '', tom)).body, 'low at six')
  assert.equal((await fetchPage(there.chat, file ?? '', gil)).body, 'low at six')
})

test('statuses and hidden presences end in the imported organization too', async () => {
  const here = await startHarbour()
  const end = Math.floor(here.chat.clock.now()) + 3600
  const tom = await here.person('tom')
  await tom.succeed('POST /users/me/status', { status_text: 'ashore', scheduled_end_time: end })
  await tom.succeed('PATCH /settings', { presence_hidden_until: end })
  const { folder } = await exportFrom(here.chat, here.realm)

  const there = await importFresh(folder)
  const state = async () => {
    const asked = {
      fetch_event_types: ['user_settings', 'user_status'],
      client_capabilities: { parley_extensions: true },
    }
    return (await there.person('tom')).succeed('POST /register', asked)
  }
  const before = await state()
  const { hiddenPresences, statuses } = there.chat.app.jobs
  for (const job of [hiddenPresences, statuses]) job.wake()
  await Promise.all([hiddenPresences.settled(), statuses.settled()])
  await there.chat.clock.advance(3601)
  await Promise.all([hiddenPresences.settled(), statuses.settled()])
  const after = await state()

  const { id } = await there.person('tom')
  assert.partialDeepStrictEqual(before['user_status'][id], { status_text: 'ashore', scheduled_end_time: end })
  assert.partialDeepStrictEqual(before['user_settings'], { presence_enabled: false, presence_hidden_until: end })
  assert.equal(after['user_status'][id], undefined)
  assert.partialDeepStrictEqual(after['user_settings'], { presence_enabled: true, presence_hidden_until: 0 })
})

test('accounts have no columns that the format does not have', async () => {
  const here = await startHarbour()
  const tom = await here.person('tom')
  await tom.succeed('PATCH /settings', { do_not_disturb_until: 2_000_000_000 })

  const { folder } = await exportFrom(here.chat, here.realm)

  const tables = JSON.parse(await readFile(join(folder, 'realm.json'), 'utf8'))
  for (const row of [...tables.zerver_userprofile, ...tables.zerver_realmuserdefault])
    for (const name of Object.keys(row)) assert.doesNotMatch(name, /_until$/)
  assert.deepEqual(tables.parley_usersettings, [{ id: tom.id, do_not_disturb_until: 2_000_000_000 }])
})

test('exporting an imported export gives the same export again', async () => {
  const here = await startHarbour()
  const first = await exportFrom(here.chat, here.realm)
  const once = await importFresh(first.folder)
  const second = await exportFrom(once.chat, once.realm)

  const twice = await importFresh(second.folder)
  const third = await exportFrom(twice.chat, twice.realm)

  assert.deepEqual(await contentOf(third.folder), await contentOf(second.folder))
  assert.deepEqual(third.counts, first.counts)
})

test('a file without bytes is counted, and all others are exported', async () => {
  const here = await startHarbour()
  const [name = ''] = await storedFiles(here.chat)
  await here.chat.app.services.files.delete(name)

  const { folder, counts, missingFiles } = await exportFrom(here.chat, here.realm)
  const there = await importFresh(folder)

  assert.deepEqual([counts['files'], missingFiles, there.imported['files']], [2, 1, 2])
  assert.partialDeepStrictEqual(there.skipped.at(-1), { what: 'uploaded files', count: 1 })
})

/**
 * Returns the content of an export without secrets in file names and without times, which differ between organizations.
 */
async function contentOf(folder: string): Promise<Record<string, unknown>> {
  const withoutSecrets = (text: string) =>
    text.replace(/\/[0-9a-f]{2}\/[\w-]{24}\//g, '/secret/').replace(/[0-9a-f]{40}/g, 'secret')
  const withoutTimes = (name: string, value: unknown) =>
    ['last_updated', 'timestamp', 'date_muted', 'date_created'].includes(name) ? null : value
  const content: Record<string, unknown> = {}
  for (const name of (await namesIn(folder)).sort()) {
    const bytes = await readFile(join(folder, name))
    content[withoutSecrets(name)] = name.endsWith('.json')
      ? JSON.parse(withoutSecrets(bytes.toString()), withoutTimes)
      : hash('sha256', bytes)
  }
  return content
}

test('an export stops while it writes messages, files or the archive, and leaves no files behind', async () => {
  const here = await startHarbour()
  const { storage, services } = here.chat.app
  const folder = await temporaryFolder()
  const path = join(folder, 'export.tar.gz')
  const exportUntil = (isTime: (what: string, done: number, all: number) => boolean) => {
    const stop = new AbortController()
    return exportArchive(path, {
      transaction: storage.transaction,
      files: services.files,
      findRealm: async () => here.realm,
      scope: 'everything',
      signal: stop.signal,
      onProgress: (what, done, all) => isTime(what, done, all) && stop.abort(new Error(`stopped at ${what}`)),
    })
  }

  await assert.rejects(
    exportUntil((what) => what === 'Messages'),
    /^Error: stopped at Messages$/,
  )
  await assert.rejects(
    exportUntil((what, done, all) => what === 'Files' && done === all - 1),
    /^Error: stopped at Files$/,
  )

  assert.deepEqual(await namesIn(folder), [])
  await mkdir(join(folder, ARCHIVED_FOLDER))
  await assert.rejects(packExport(folder, AbortSignal.abort(new Error('stopped at archive'))), /stopped at archive/)
})
