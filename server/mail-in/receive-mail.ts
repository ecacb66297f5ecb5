import { createHash } from 'node:crypto'
import { findChannel } from '#channels/queries.ts'
import { requireTopic } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import type { Services } from '#http/endpoint.ts'
import { bold, inline } from '#integrations/markdown.ts'
import { systemClock } from '#lib/clock.ts'
import { Refusal } from '#lib/errors.ts'
import { openFairQueue } from '#lib/fair-queue.ts'
import { t } from '#lib/text.ts'
import { closingFences } from '#markdown/render.ts'
import { invalidMessage, requireMessage } from '#messages/access.ts'
import type { Attachment } from '#messages/attachments.ts'
import { FOREIGN_CLIENT } from '#messages/content.ts'
import { deleteStoredFile } from '#messages/files.ts'
import { findNotifiableActor } from '#messages/notifiable-users.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage } from '#messages/prepare-message.ts'
import { findSentMessage, sendOnce } from '#messages/send-once.ts'
import { removeUpload, saveUpload, uploadUrl } from '#messages/upload-file.ts'
import { countReply, findReplyAddress, isMailInToken } from '#notifications/reply-addresses.ts'
import { type Actor, requesterOf, type User } from '#people/users.ts'
import { MAX_MESSAGE_LENGTH } from '#rules/shared-limits.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  type AddressOptions,
  countMail,
  findChannelAddress,
  NO_OPTIONS,
  readLocalPart,
} from './addresses/channel-addresses.ts'
import { reasonToDrop } from './reading/automatic.ts'
import { parseMail, UnreadableMail } from './reading/parse-mail.ts'
import type { MailFile, ReadMail } from './reading/read-mail.ts'

// Receiving one email for one address: of a channel, or for replies to an email about missed messages. The token in the
// address decides who sends where; nothing in the email itself gives a right. The message is committed when
// `receiveMail` returns, and an email that is delivered again becomes no second message.

/** The reply to an email that is not accepted, as SMTP names it. The sender of the email reads its text. */
export class MailRefusal extends Error {
  readonly code: number
  /** The enhanced status code (RFC 3463). */
  readonly status: string

  constructor(code: number, status: string, text: string) {
    super(text)
    this.code = code
    this.status = status
  }
}

/** The maximum size of an email in bytes. Attachments are a third longer in it than as files. */
export const MAX_MAIL_BYTES = 35 * 1024 * 1024

export const unknownAddress = () => new MailRefusal(550, '5.1.1', 'There is no such address, or it is no longer valid.')
export const mailTooLarge = () => new MailRefusal(552, '5.3.4', 'The email is too large.')
const noMoreMail = () => new MailRefusal(452, '4.2.1', 'This address gets too many emails. Try again later.')
const notAllowed = (reason: string) => new MailRefusal(550, '5.7.1', `The message cannot be posted: ${reason}`)

type MailServices = Pick<Services, 'db' | 'transaction' | 'clock' | 'random' | 'settings' | 'log' | 'files' | 'secret'>

/** The user whose permissions count, the sender of the message, and where it goes. */
type Destination = {
  kind: 'channel' | 'reply'
  token: string
  actor: Actor
  sender: User
  options: AddressOptions
  /** The channel of a channel address, or the message to whose conversation a reply belongs. */
  id: number
  isUsedUp: boolean
}

async function findDestination({ db, clock, settings }: MailServices, address: string): Promise<Destination | null> {
  const at = address.lastIndexOf('@')
  if (at === -1 || address.slice(at + 1).toLowerCase() !== settings.MAIL_IN_DOMAIN.toLowerCase()) return null
  const parsed = readLocalPart(address.slice(0, at))
  if (parsed === null) return null
  const { token, options } = parsed
  const channel = await findChannelAddress(db, token, clock.now())
  if (channel !== null) {
    const { channelId: id, actor, sender, isUsedUp } = channel
    return { kind: 'channel', token, options, id, actor, sender, isUsedUp }
  }
  const reply = await findReplyAddress(db, token, clock.now())
  const actor = reply === null ? null : await findNotifiableActor(db, reply.userId)
  if (reply === null || actor === null) return null
  const { messageId: id, isUsedUp } = reply
  return { kind: 'reply', token, options: NO_OPTIONS, id, actor, sender: actor, isUsedUp }
}

/** Refuses addresses to which no email can be sent at the moment. All that do not exist are refused alike. */
export async function requireMailAddress(services: MailServices, address: string): Promise<Destination> {
  const found = await findDestination(services, address)
  if (found === null || (found.isUsedUp && found.kind === 'reply')) throw unknownAddress()
  if (found.isUsedUp) throw noMoreMail()
  return found
}

/**
 * Posts an email as a message. When it returns, the message is committed, or the email was dropped. Throws a
 * `MailRefusal` if the email is not accepted; after any other error, it can be delivered again.
 */
export async function receiveMail(
  services: MailServices,
  { recipient, sender, raw }: { recipient: string; sender: string | null; raw: Buffer },
): Promise<void> {
  const { log, settings } = services
  if (raw.length > MAX_MAIL_BYTES) throw mailTooLarge()
  const mail = await readInTurn(services, await requireMailAddress(services, recipient), raw)
  // Reading may have taken so long that the account was deactivated.
  const destination = await findDestination(services, recipient)
  if (destination === null) throw unknownAddress()
  const dropped = reasonToDrop(mail, {
    isReply: destination.kind === 'reply',
    sender: sender ?? mail.headers['return-path']?.replace(/^<|>$/g, '') ?? mail.from.address,
    isOwnAddress: (address) => isOwnAddress(settings, address),
  })
  if (dropped !== null) {
    log.info({ reason: dropped, realmId: destination.actor.realmId }, 'Incoming email dropped')
    return
  }
  try {
    await post(services, destination, mail, localIdOf(destination, mail, raw))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    log.info({ reason: error.kind.text, realmId: destination.actor.realmId }, 'Incoming email refused')
    if (error.kind.status === 429) throw noMoreMail()
    throw notAllowed(reasonFor(destination, error))
  }
}

/** Reads one email at a time, so that emails take one processor at most. The users of the addresses take turns. */
const readings = openFairQueue({
  clock: systemClock(),
  concurrency: 1,
  maxWaitingEach: 10,
  maxWaiting: 100,
  retryAfter: 60,
})

/** Counts the email for its address, also if it is dropped or refused afterwards, and reads it. */
async function readInTurn({ transaction }: MailServices, found: Destination, raw: Buffer): Promise<ReadMail> {
  try {
    return await readings.run(requesterOf(found.actor, true), async () => {
      await transaction((tx) => requireCount(tx, found))
      return parseMail({ raw, options: found.options })
    })
  } catch (error) {
    if (error instanceof UnreadableMail) throw new MailRefusal(554, '5.6.0', 'The email cannot be read.')
    if (error instanceof Refusal) throw noMoreMail()
    throw error
  }
}

/** Counts the email. Refuses it if the address was deleted or used up since it was found. */
async function requireCount(tx: Transaction, { kind, token }: Destination): Promise<void> {
  if (kind === 'reply' && !(await countReply(tx, token))) throw unknownAddress()
  if (kind === 'channel' && !(await countMail(tx, token))) throw noMoreMail()
}

/**
 * Returns the reason of a refusal for the sender of the email. Everyone can write to the address of a channel, so its
 * senders must not learn the name of the channel or its permissions.
 */
function reasonFor({ kind }: Destination, error: Refusal): string {
  if (kind === 'channel') return 'the address cannot be used at the moment.'
  return error.kind === invalidMessage ? 'its conversation is no longer there for you.' : error.message
}

/** Returns true for the addresses from which the server sends, and to which it receives. */
function isOwnAddress({ MAIL_FROM, MAIL_IN_DOMAIN }: MailServices['settings'], address: string): boolean {
  const own = MAIL_FROM.toLowerCase()
  const [name = '', host = ''] = own.split('@')
  const given = address.toLowerCase()
  const at = given.lastIndexOf('@')
  const [local, domain] = [given.slice(0, at), given.slice(at + 1)]
  const isFromHere = domain === host && local.startsWith(`${name}-`) && isMailInToken(local.slice(name.length + 1))
  return given === own || isFromHere || (domain === MAIL_IN_DOMAIN.toLowerCase() && readLocalPart(local) !== null)
}

/** Returns the UUID of the message: the same whenever the email is delivered again to the address. */
function localIdOf({ token }: Destination, { messageId }: ReadMail, raw: Buffer): string {
  const hash = createHash('sha256').update(`${token} ${messageId}`)
  if (messageId === '') hash.update(raw)
  const digits = hash.digest('hex')
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ]
  return parts.join('-')
}

async function post(services: MailServices, destination: Destination, mail: ReadMail, localId: string): Promise<void> {
  const { db, transaction, clock } = services
  const { actor, sender } = destination
  if ((await findSentMessage(db, sender.id, localId)) !== null) return
  const to = await findTarget(services, destination, mail)
  const prepare = async (links: string): Promise<PreparedMessage> => {
    const prepared = await prepareMessage(db, actor, toRequest(destination, mail, to, links), clock.now())
    return sender.id === actor.id ? prepared : { ...prepared, ...inSteadOf(prepared, sender, actor) }
  }
  // This refuses what may not be sent before files are saved.
  const withoutFiles = await prepare('')
  const { links, saved } = await saveFiles(services, actor, mail)
  try {
    const prepared = links === '' ? withoutFiles : await prepare(links)
    await transaction(async (tx) => {
      await requireStillValid(tx, destination)
      await sendOnce(tx, prepared, localId)
    })
  } catch (error) {
    if (error instanceof Refusal || error instanceof MailRefusal) await deleteFiles(services, actor, saved)
    throw error
  }
}

const inSteadOf = (prepared: PreparedMessage, sender: User, actor: Actor): Partial<PreparedMessage> => ({
  author: { user: sender, realm: prepared.author.realm },
  onBehalfOf: actor,
})

/** Refuses the email if its address was deleted since it was found. */
async function requireStillValid({ db, now }: Transaction, { kind, token }: Destination): Promise<void> {
  const find = kind === 'reply' ? findReplyAddress : findChannelAddress
  if ((await find(db, token, now)) === null) throw unknownAddress()
}

async function findTarget(
  { db, clock }: MailServices,
  { kind, actor, id }: Destination,
  { subject }: ReadMail,
): Promise<MessageRequest['to']> {
  if (kind === 'channel') {
    // Someone who learned of the address must not learn the name of the channel from an error.
    const channel = await findChannel(db, actor.realmId, id)
    if (channel === null) throw unknownAddress()
    return { channel: channel.id, topic: topicOf(actor, subject) }
  }
  const { conversation } = await requireMessage(viewerOf(db, actor, clock.now()), id)
  if (conversation.channel !== null) return { channel: conversation.channel.id, topic: conversation.topic }
  const others = conversation.direct.participantIds.filter((participantId) => participantId !== actor.id)
  return { people: others.length === 0 ? [actor.id] : others }
}

/** The prefixes of answered and forwarded emails, in several languages. */
const PREFIXES = /^(?:(?:re|aw|sv|antw|rif|ref|odp|fwd?|wg|tr|rv|vs) ?(?:\[\d{1,3}\])? ?[:：] ?)+/i

function topicOf({ realm }: Actor, subject: string): string {
  const topic = requireTopic(subject.replace(PREFIXES, ''))
  return topic === '' && realm.settings.mandatory_topics ? t('Email without a subject') : topic
}

function toRequest(
  { kind, options, sender, actor }: Destination,
  { from, body, isHtml }: ReadMail,
  to: MessageRequest['to'],
  links: string,
): MessageRequest {
  const isReply = kind === 'reply'
  const name = from.name === '' || from.name === from.address ? from.address : `${from.name} <${from.address}>`
  const head = options.showsSender ? `${bold('From:').markdown} ${inline(name).markdown}\n` : ''
  const text = isReply || isHtml ? body : withoutMentions(body)
  const end = links === '' ? '' : `\n\n${links}`
  const main = text || (links === '' ? t('(The email has no text.)') : '')
  const content = `${head}${joinWithin(main, end, MAX_MESSAGE_LENGTH - head.length)}`.trim()
  return {
    to,
    content: isReply ? content : content.replace(/^\/(?=\w)/, '&#47;'),
    client: isReply ? 'Email' : FOREIGN_CLIENT,
    isReadBySender: isReply && sender.id === actor.id,
    localEcho: null,
    isDeferred: true,
  }
}

/** Returns plain text in which nobody is mentioned: everyone who knows the address could wake all subscribers. */
const withoutMentions = (text: string) => text.replace(/@(?=_?\*)/g, '&#64;')

const CUT_MARK = '\n[message truncated]'

/**
 * Returns the text and its end, with the text cut so that both have at most so many UTF-16 units. Blocks that the text
 * leaves open are closed before the end, which would be code otherwise.
 */
function joinWithin(text: string, end: string, length: number): string {
  let result = end === '' ? text : `${text}${closingFences(text)}${end}`
  for (let room = length - end.length - CUT_MARK.length; result.length > length; room -= result.length - length) {
    const part = text.slice(0, Math.max(0, room)).replace(/[\uD800-\uDBFF]$/, '')
    result = `${part}${closingFences(part)}${CUT_MARK}${end}`
  }
  return result
}

/** Saves the attached files. Returns a line for each: a link, or the reason why it was not saved. */
async function saveFiles(
  services: MailServices,
  actor: Actor,
  { files, omittedFiles }: ReadMail,
): Promise<{ links: string; saved: Attachment[] }> {
  const saved: Attachment[] = []
  const lines: string[] = []
  for (const file of files) {
    const label = inline(file.name.replace(/[[\]]/g, '')).markdown || 'file'
    const attachment = await saveFile(services, actor, file)
    if ('reason' in attachment) {
      lines.push(t('{name} was not saved: {reason}', { name: label, reason: attachment.reason }))
    } else {
      saved.push(attachment)
      lines.push(`[${label}](${uploadUrl(attachment)})`)
    }
  }
  if (omittedFiles > 0)
    lines.push(
      t('{count, plural, one {# more file was} other {# more files were}} not saved.', { count: omittedFiles }),
    )
  return { links: lines.join('\n'), saved }
}

/** Saves one file; returns the reason if the limits of uploads refuse it. */
async function saveFile(
  services: MailServices,
  actor: Actor,
  { name, bytes }: MailFile,
): Promise<Attachment | { reason: string }> {
  try {
    return await saveUpload(services, actor, { name, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) })
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message }
    throw error
  }
}

async function deleteFiles(
  { transaction, files }: MailServices,
  actor: Actor,
  saved: readonly Attachment[],
): Promise<void> {
  for (const { id } of saved) {
    const removed = await transaction((tx) => removeUpload(tx, actor, id))
    if (removed !== null) await deleteStoredFile(files, removed)
  }
}
