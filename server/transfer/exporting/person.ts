import { join } from 'node:path'
import type { Viewer } from '#groups/viewer.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { findOwnAttachments } from '#messages/attachments.ts'
import { storedName } from '#messages/files.ts'
import { type EditEntry, parseHistory, visibleHistory } from '#messages/message.ts'
import { findAccessScope, findReadableIds } from '#messages/narrow.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { AVATARS, type FileStore } from '#storage/files.ts'
import { copyStored } from './files.ts'
import { findDirectMessages, findNames, findOwnChannelMessages, findOwnLists } from './person-queries.ts'
import { writeList, writeText } from './tables.ts'

/** The number of messages that one query reads, and that one file contains. */
const [PAGE, MAX_MESSAGES] = [500, 10_000]

type StoredFile = { name: string; path: string }

export type PersonCounts = { channelMessages: number; directMessages: number; files: number }

type Options = {
  folder: string
  signal?: AbortSignal | undefined
  onProgress?: ((what: string, done: number) => void) | undefined
}

/** Writes everything of the viewer except the bytes of files. Returns the numbers of messages, and the files to copy. */
export async function exportPersonRows(
  viewer: Viewer,
  options: Options,
): Promise<{ counts: Omit<PersonCounts, 'files'>; files: StoredFile[] }> {
  const { folder } = options
  const { db, actor: user } = viewer
  const { realm } = user
  const names = await findNames(db, realm.id)
  const { settings, deliveryEmail, fullName, role, joinedAt, deactivatedAt, timezone, id } = user
  const profile = { id, organization: realm.name, fullName, email: deliveryEmail, role, timezone, settings }
  await writeText(folder, 'profile.json', toText({ ...profile, joinedAt, deactivatedAt }))
  for (const [name, rows] of Object.entries(await findOwnLists(db, id, await findReadableChannels(viewer))))
    await writeText(folder, `${name}.json`, toText(rows))

  const policy = realm.settings.message_edit_history_visibility_policy
  const editsOf = (history: string | null, isOwn: boolean) =>
    parseHistory(history).flatMap((entry) =>
      isOwn && entry.user_id === id ? [entry] : visibleHistory([entry], policy),
    )

  const channelMessages = await exportPages(options, 'channel-messages', async (last) => {
    const page = await findOwnChannelMessages(db, id, last, PAGE)
    const ids = page.map((message) => message.id)
    const readable = await findReadableIds(viewer, ids)
    return page.map(({ editHistory, ...message }) =>
      readable.has(message.id)
        ? { ...message, edits: editsOf(editHistory, true) }
        : { ...message, ...HIDDEN_PLACE, edits: ownVersions(parseHistory(editHistory), id) },
    )
  })
  const directMessages = await exportPages(options, 'direct-messages', async (last) =>
    (await findDirectMessages(db, id, last, PAGE)).map(
      ({ participantsKey, senderId, fullName, editHistory, ...message }) => ({
        conversation: participantsKey.split(',').map((one) => names.get(Number(one)) ?? `User ${one}`),
        sender: fullName,
        isOwn: senderId === id,
        ...message,
        edits: editsOf(editHistory, senderId === id),
      }),
    ),
  )

  const attachments = await findOwnAttachments(db, id)
  const uploads = attachments.map((attachment) => ({
    name: storedName(attachment),
    path: join('files', `${attachment.id}-${attachment.fileName}`),
  }))
  const listed = attachments.map(({ name, size, createdAt }, index) => ({
    name,
    size,
    createdAt,
    path: uploads[index]?.path,
  }))
  await writeText(folder, 'files.json', toText(listed))
  const picture =
    user.avatarFile === null ? [] : [{ name: `${AVATARS}/${user.avatarFile}`, path: 'profile-picture.png' }]
  await writeText(folder, 'README.txt', readme(user, realm))
  return { counts: { channelMessages, directMessages }, files: [...uploads, ...picture] }
}

/** Replaces the channel and topic of a message that its sender may no longer read. Only the sender edits the text. */
const HIDDEN_PLACE = { channel: null, topic: null, note: 'You cannot read the channel in which this message is now.' }

/** Returns the user's own edits of a text, without the places of the message. */
const ownVersions = (entries: readonly EditEntry[], userId: number) =>
  entries.flatMap(({ user_id, timestamp, prev_content }) =>
    user_id === userId && prev_content !== undefined ? [{ user_id, timestamp, prev_content }] : [],
  )

async function findReadableChannels(viewer: Viewer): Promise<ReadonlySet<number>> {
  const { fullAccessIds, receivedOnlyIds } = await findAccessScope(viewer)
  return fullAccessIds.union(receivedOnlyIds)
}

/** Writes times, which are stored in UNIX seconds, as ISO 8601 so that people can read them. */
const toText = (value: unknown): string => JSON.stringify(readable(value), null, 2)

function readable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, item) =>
    /(At|^timestamp|_time)$/.test(key) && typeof item === 'number' && item > SECONDS_PER_DAY
      ? new Date(item * 1000).toISOString()
      : item,
  )
}

/** Writes one file for each `MAX_MESSAGES` messages. Returns their number. */
async function exportPages(
  { folder, signal, onProgress }: Options,
  name: string,
  find: (lastId: number) => Promise<{ id: number }[]>,
): Promise<number> {
  let [count, files, lastId, isMore] = [0, 0, 0, true]
  while (isMore) {
    const rows: unknown[] = []
    while (isMore && rows.length < MAX_MESSAGES) {
      signal?.throwIfAborted()
      const page = await find(lastId)
      rows.push(...page.map(readable))
      lastId = page.at(-1)?.id ?? lastId
      isMore = page.length === PAGE
    }
    files += 1
    count += rows.length
    await writeList(folder, `${name}-${String(files).padStart(4, '0')}.json`, rows)
    onProgress?.('Messages', count)
  }
  return count
}

/** Copies the bytes of the files. Returns the number of those that exist. */
export async function exportPersonFiles(
  store: FileStore,
  files: readonly StoredFile[],
  { folder, signal, onProgress }: Options,
): Promise<number> {
  let copied = 0
  for (const { name, path } of files) {
    signal?.throwIfAborted()
    if (await copyStored(store, name, join(folder, path), signal)) copied += 1
    onProgress?.('Files', copied)
  }
  return copied
}

const readme = ({ fullName }: User, { name }: Realm) => `Your data in ${name}
${'='.repeat(name.length + 13)}

This archive contains what ${name} stores about ${fullName}. All .json files are text. Times are in UTC.

profile.json            your name, address, role, time zone and settings
profile_fields.json     the other fields of your profile; status.json: your status
channel-messages-*.json the messages that you sent to channels, with their earlier versions; without the channel and topic
                        if you cannot read them there now
direct-messages-*.json  your direct conversations: the messages that you sent and those that you received
reactions.json          your reactions; poll_votes.json: your answers to polls and to-do lists
files.json, files/      the files that you uploaded
drafts.json             your drafts; scheduled_messages.json: messages to be sent, and reminders; snippets.json
channels.json           your channels; topics.json: topics that you follow or mute; groups.json: your groups
alert_words.json        your alert words; muted_people.json: people whom you muted
sessions.json           browsers in which you are logged in; api_keys.json and passkeys.json: names of keys
push_browsers.json      browsers, and push_apps.json: apps, that get notifications; activity.json: when you were active
invitations.json        people whom you invited; emails.json: emails that the server sent to you; bots.json: your bots

It contains private messages of other people, too. Keep it as safe as your account.
`
