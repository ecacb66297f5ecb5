import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { Refusal, refusal } from '#lib/errors.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, isVisible, UNKNOWN_USER_NAME } from '#people/users.ts'
import { MAX_MESSAGE_LENGTH } from '#rules/shared-limits.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { invalidMessage, type ReadableMessage, requireMessage } from '../access.ts'
import { normalizeContent, renderContent, unableToRender } from '../content.ts'
import { channelLinkMarkdown, fenceFor, messageUrl, silentMention, topicLink } from '../notice-markdown.ts'
import { type PreparedMessage, prepareQuotation } from '../prepare-message.ts'
import {
  deleteScheduledMessage,
  lockReminder,
  type Reminder,
  saveScheduledMessage,
  saveWithinLimits,
  toReminderJson,
} from '../scheduled-messages.ts'
import { findTextUsage, requireTextQuota } from '../text-quota.ts'
import { notInFuture } from './schedule-message.ts'

export const noSuchReminder = refusal('BAD_REQUEST', 404, 'Reminder does not exist')
export const noteTooLong = refusal('BAD_REQUEST', 400, 'Maximum reminder note length: {limit} characters', {
  field: 'note',
})
export const emptyReminderChange = refusal('BAD_REQUEST', 400, 'Nothing to change')

/** The maximum length of a note, in UTF-16 units; that of the reference server. */
const MAX_NOTE_LENGTH = 500

type Note = Pick<Reminder, 'content' | 'renderedContent'>

/** Checks and renders the note of a reminder, which may be empty. */
export async function prepareNote(viewer: Viewer, given: string): Promise<Note> {
  const content = normalizeContent(given)
  if (content.length > MAX_NOTE_LENGTH) throw noteTooLong({ limit: MAX_NOTE_LENGTH })
  const renderedContent = content === '' ? '' : (await renderContent(viewer, content)).html
  return { content, renderedContent }
}

type NewReminder = { messageId: number; dueAt: number; note: Note; client: string }

/** Saves a reminder of a message that the actor may read. Returns the id of the reminder. */
export async function setReminder(
  tx: Transaction,
  actor: Actor,
  { messageId, dueAt, note, client }: NewReminder,
): Promise<number> {
  const { message } = await requireMessage(viewerOf(tx.db, actor, tx.now), messageId)
  const reminder = await saveWithinLimits(tx, {
    realmId: actor.realmId,
    senderId: actor.id,
    channelId: null,
    recipientIds: [actor.id],
    topic: '',
    ...note,
    client,
    isReadBySender: false,
    dueAt,
    failedAt: null,
    reminderOf: message.id,
  })
  emitReminder(tx, reminder)
  return reminder.id
}

/** Changes the note or the time of a reminder. A failed reminder is sent again. */
export async function changeReminder(
  tx: Transaction,
  actor: Actor,
  id: number,
  { note, dueAt }: { note: Note | undefined; dueAt: number | undefined },
): Promise<void> {
  const before = await lockReminder(tx, actor.id, id)
  if (before === null) throw noSuchReminder()
  if (before.failedAt !== null && dueAt === undefined) throw notInFuture()
  const usedSpace = await findTextUsage(tx, 'scheduledMessages', actor.id)
  const changed = { ...note, dueAt: dueAt ?? before.dueAt, failedAt: null }
  await saveScheduledMessage(tx, before, changed)
  await requireTextQuota(tx, 'scheduledMessages', actor.id, usedSpace)
  emitReminderRemoval(tx, before)
  emitReminder(tx, { ...before, ...changed })
}

export async function cancelReminder(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const reminder = await lockReminder(tx, actor.id, id)
  if (reminder === null) throw noSuchReminder()
  await deleteScheduledMessage(tx, reminder)
  emitReminderRemoval(tx, reminder)
}

/** Emits a new reminder. A changed one is removed and added again, because clients know no other event about it. */
export function emitReminder(tx: Transaction, reminder: Reminder): void {
  const { realmId, senderId } = reminder
  tx.emit(realmId, { type: 'reminders', op: 'add', reminders: [toReminderJson(reminder)] }, [senderId])
}

export function emitReminderRemoval(tx: Transaction, { realmId, senderId, id }: Reminder): void {
  tx.emit(realmId, { type: 'reminders', op: 'remove', reminder_id: id }, [senderId])
}

/**
 * The text of a reminder. The quote follows the line with the link, because clients connect the two. It is empty if there
 * is nothing to quote, or if it would be too long.
 */
type ReminderText = { opening: string; quote: string; note: string }

/**
 * Prepares the message of a reminder: a link to the message and a quote of it as it is now, or neither if the user can no
 * longer read it. `isCurrent` returns true if that is still so.
 */
export async function prepareReminder(
  db: Db,
  actor: Actor,
  reminder: Reminder,
  now: number,
): Promise<{ prepared: PreparedMessage; isCurrent: (tx: Transaction) => Promise<boolean> }> {
  const viewer = viewerOf(db, actor, now)
  const text = await composeText(viewer, reminder)
  return {
    prepared: await prepareText(viewer, text),
    async isCurrent(tx) {
      const current = await composeText(viewerOf(tx.db, actor, tx.now), reminder)
      return current.opening === text.opening && current.quote === text.quote
    },
  }
}

/** A quote that takes too much work to render is left out. */
async function prepareText(viewer: Viewer, { opening, quote, note }: ReminderText): Promise<PreparedMessage> {
  try {
    return await prepareQuotation(viewer, opening + quote + note)
  } catch (error) {
    if (quote === '' || !(error instanceof Refusal) || error.kind !== unableToRender) throw error
    return prepareQuotation(viewer, opening + note)
  }
}

async function composeText(viewer: Viewer, { reminderOf, content: noteText }: Reminder): Promise<ReminderText> {
  const readable = await findReadable(viewer, reminderOf)
  const note = noteText === '' ? '' : `\n\nYour note:\n\n${noteText.replace(/^/gm, '> ')}`
  if (readable === null)
    return { opening: 'You asked for a reminder of a message that you can no longer read.', quote: '', note }
  const opening = `You asked for a reminder of ${await describe(viewer, readable)}.`
  const { content } = readable.message
  const fence = fenceFor(content, 3)
  const quote = `\n\n${fence}quote\n${content}\n${fence}`
  const isTooLong = opening.length + quote.length + note.length > MAX_MESSAGE_LENGTH
  return { opening, quote: isTooLong ? '' : quote, note }
}

async function findReadable(viewer: Viewer, messageId: number): Promise<ReadableMessage | null> {
  try {
    return await requireMessage(viewer, messageId)
  } catch (error) {
    if (error instanceof Refusal && error.kind === invalidMessage) return null
    throw error
  }
}

/** Returns Markdown such as "a message from Ada in #design > logo", with a link to the message. */
async function describe(viewer: Viewer, readable: ReadableMessage): Promise<string> {
  const { db, actor } = viewer
  const { message, conversation } = readable
  const url = messageUrl(actor.realm, db.settings.EXTERNAL_URL, readable)
  const [sender] = await findUsersById(db, [message.senderId])
  const isKnown = sender !== undefined && isVisible(await viewer.visibleIds(), sender)
  const from = isKnown ? silentMention(sender) : UNKNOWN_USER_NAME
  const { channel } = conversation
  if (channel === null) return `[a direct message](${url}) from ${from}`
  const { topic } = conversation
  const place = topic === '' ? channelLinkMarkdown(channel) : topicLink(channel, topic)
  return `[a message](${url}) from ${from} in ${place}`
}
