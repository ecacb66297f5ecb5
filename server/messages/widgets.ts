import { sql } from 'kysely'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { findAccountIdsOfPerson } from '#people/creation-limits.ts'
import type { Actor } from '#people/users.ts'
import { MAX_WIDGET_INDEX } from '#rules/shared-limits.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { invalidMessage, requireChangeableMessage } from './access.ts'
import { findMessageAudienceIds, submessageEvent } from './events.ts'
import { MAX_SUBMESSAGE_LENGTH, MAX_SUBMESSAGES } from './queries.ts'
import { followOnParticipation } from './sending/follow-topics.ts'

// Widgets of messages: polls, to-do lists and forms of bots, and the submessages in which votes and changes are
// stored. Every submessage is checked, because the clients of other users execute it.

/** Returns the error message of the reference server for an invalid value; null for a valid one. */
type FieldCheck = (name: string, value: unknown) => string | null

const isText: FieldCheck = (name, value) => (typeof value === 'string' ? null : `${name} is not a string`)
const isFlag: FieldCheck = (name, value) => (typeof value === 'boolean' ? null : `${name} is not a boolean`)

const isIndex: FieldCheck = (name, value) => {
  if (!Number.isInteger(value)) return `${name} is not an integer`
  if ((value as number) < 0) return `${name} is too small`
  return (value as number) > MAX_WIDGET_INDEX ? `${name} is too large` : null
}

const isVote: FieldCheck = (name, value) => {
  if (!Number.isInteger(value)) return `${name} is not an integer`
  return value === 1 || value === -1 ? null : `Invalid ${name}`
}

/** The fields of a change to a widget, apart from `type`. */
type Change = {
  fields: Readonly<Record<string, FieldCheck>>
  /** The error message for users other than the author. It is absent if all users may make the change. */
  onlyAuthor?: string
}

type Widget = { name: string; changes: Readonly<Record<string, Change>> }

const widgets: Readonly<Record<string, Widget>> = {
  poll: {
    name: 'poll data',
    changes: {
      vote: { fields: { key: isText, vote: isVote } },
      question: { fields: { question: isText }, onlyAuthor: "You can't edit a question unless you are the author." },
      new_option: { fields: { option: isText, idx: isIndex } },
    },
  },
  todo: {
    name: 'todo data',
    changes: {
      new_task: { fields: { key: isIndex, task: isText, desc: isText, completed: isFlag } },
      strike: { fields: { key: isText } },
      new_task_list_title: {
        fields: { title: isText },
        onlyAuthor: "You can't edit the task list title unless you are the author.",
      },
    },
  },
}

/** Returns the widget type in the content of the first submessage; null if there is none. */
function widgetTypeOf(content: string): string | null {
  try {
    const data: unknown = JSON.parse(content)
    const type = isObject(data) ? data['widget_type'] : null
    return typeof type === 'string' ? type : null
  } catch {
    return null
  }
}

/** Returns the error in a change to a poll or to-do list; null if it is valid. Other widgets accept any change. */
function findWidgetDataError(widgetType: string | null, data: unknown, isAuthor: boolean): string | null {
  const widget = widgetType !== null && Object.hasOwn(widgets, widgetType) ? widgets[widgetType] : undefined
  if (widget === undefined) return null
  const { name, changes } = widget
  if (!isObject(data)) return `${name} is not a dict`
  if (!Object.hasOwn(data, 'type')) return `type key is missing from ${name}`
  const { type } = data
  if (typeof type !== 'string') return `${name}["type"] is not a string`
  const change = Object.hasOwn(changes, type) ? changes[type] : undefined
  if (change === undefined) return `Unknown type for ${name}: ${type}`
  if (change.onlyAuthor !== undefined && !isAuthor) return change.onlyAuthor
  return findFieldError(name, data, change.fields)
}

function findFieldError(
  name: string,
  data: Readonly<Record<string, unknown>>,
  fields: Change['fields'],
): string | null {
  for (const [field, check] of Object.entries(fields)) {
    if (!Object.hasOwn(data, field)) return `${field} key is missing from ${name}`
    const error = check(`${name}["${field}"]`, data[field])
    if (error !== null) return error
  }
  const unexpected = Object.keys(data).filter((field) => field !== 'type' && !Object.hasOwn(fields, field))
  return unexpected.length === 0 ? null : `Unexpected arguments: ${unexpected.join(', ')}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const widgetTooLong = refusal('BAD_REQUEST', 400, 'widget_content is too long (limit: {most} characters)', {
  field: 'widget_content',
})

const choiceJson = z.looseObject({
  short_name: z.string(),
  long_name: z.string(),
  reply: z.string().describe('The text that is sent when this choice is picked.'),
})

/** A form that bots attach to a message. Polls and to-do lists are created by the text of a message instead. */
export const widgetParam = z
  .looseObject({
    widget_type: z.literal('zform'),
    extra_data: z.looseObject({ type: z.literal('choices'), heading: z.string(), choices: z.array(choiceJson) }),
  })
  .nullish()
  .describe('A form whose choices are replies. Clients that do not support forms show the text.')

/** Returns the content of the submessage with the form; null if there is no form. Refuses forms that are too long. */
export function readWidgetParam(given: z.output<typeof widgetParam>): string | null {
  if (given === null || given === undefined) return null
  const { widget_type, extra_data } = given
  const content = JSON.stringify({ widget_type, extra_data })
  if (content.length > MAX_SUBMESSAGE_LENGTH) throw widgetTooLong({ most: MAX_SUBMESSAGE_LENGTH })
  return content
}

/**
 * Matches the start of a message that creates a widget: `/poll Question` or `/todo Title`. Each further line is an
 * option or task.
 */
const COMMAND = /^\/(poll|todo)(?=\s|$)/

/** A list marker before an option or task. */
const LIST_MARKER = /^[-*]?\s*/

/** Returns the content of the submessage that makes the message a poll or to-do list; null for other messages. */
export function widgetContent(content: string): string | null {
  const command = COMMAND.exec(content)
  if (command === null) return null
  const [titleLine = '', ...itemLines] = content
    .slice(command[0].length)
    .split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)
  const title = titleLine.trim()
  const lines = itemLines.map((line) => line.trim().replace(LIST_MARKER, '')).filter((line) => line !== '')
  if (command[1] === 'poll') {
    return JSON.stringify({ widget_type: 'poll', extra_data: { question: title, options: lines } })
  }
  const extra_data = { task_list_title: title, tasks: lines.map(toTask) }
  return JSON.stringify({ widget_type: 'todo', extra_data })
}

/** Returns the task of a line. The text after a colon is its description. */
function toTask(line: string): { task: string; desc: string } {
  const at = line.indexOf(':')
  if (at < 0) return { task: line, desc: '' }
  return { task: line.slice(0, at).trim(), desc: line.slice(at + 1).trim() }
}

const submessageNotJson = refusal('BAD_REQUEST', 400, 'Invalid json for submessage', { field: 'content' })
const mayNotAttach = refusal('BAD_REQUEST', 400, 'You cannot attach a submessage to this message.')
const badWidgetData = refusal('BAD_REQUEST', 400, '{complaint}', { field: 'content' })
const tooManySubmessages = refusal(
  'BAD_REQUEST',
  400,
  'This message cannot have more submessages. Start a new poll or to-do list.',
)
const tooManyOwnSubmessages = refusal(
  'BAD_REQUEST',
  400,
  'You cannot attach more than {limit} submessages to a message that another user sent.',
)

/** The maximum number of submessages that a user and the user's bots can attach to another user's message. */
const MAX_BY_ONE_PERSON = 250

/** The maximum total size of the submessages of a message, in UTF-8 bytes. */
const MAX_BYTES = 400_000

/**
 * Attaches a submessage to a message. The first submessage must come from the sender of the message, and determines the
 * format of the later ones.
 */
async function addSubmessage(
  tx: Transaction,
  actor: Actor,
  given: { messageId: number; msgType: string; content: string },
): Promise<void> {
  await lockForSubmessages(tx, given.messageId)
  const { message, conversation } = await requireChangeableMessage(viewerOf(tx.db, actor, tx.now), given.messageId)
  const data = requireJson(given.content)
  const first = await findFirstContent(tx.db, message.id)
  const isAuthor = message.senderId === actor.id
  if (first === null && !isAuthor) throw mayNotAttach()
  const complaint = first === null ? null : findWidgetDataError(widgetTypeOf(first), data, isAuthor)
  if (complaint !== null) throw badWidgetData({ complaint })
  await requireSubmessageSpace(tx.db, actor, message, given.content)

  const submessage = { ...given, senderId: actor.id }
  const { id } = await tx.insertInto('submessages').values(submessage).returning('id').executeTakeFirstOrThrow()
  await followOnParticipation(tx, actor, conversation)
  const audience = await findMessageAudienceIds(tx, [message.id], conversation)
  tx.emit(actor.realmId, submessageEvent({ ...submessage, id }), audience)
}

/** Makes concurrent submessages of a message wait for each other, so that the limits hold. */
async function lockForSubmessages(tx: Transaction, messageId: number): Promise<void> {
  await tx.db.selectFrom('messages').select('id').where('id', '=', messageId).forNoKeyUpdate().execute()
}

function requireJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    throw submessageNotJson()
  }
}

async function findFirstContent(db: Db, messageId: number): Promise<string | null> {
  const first = await db
    .selectFrom('submessages')
    .select('content')
    .where('messageId', '=', messageId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return first?.content ?? null
}

async function requireSubmessageSpace(
  db: Db,
  actor: Actor,
  message: { id: number; senderId: number },
  content: string,
): Promise<void> {
  const accounts = await findAccountIdsOfPerson(db, actor)
  const used = await db
    .selectFrom('submessages')
    .select((is) => [
      is.fn.countAll<number>().as('all'),
      sql<number>`coalesce(sum(case when "senderId" in (${sql.join(accounts)}) then 1 else 0 end), 0)`.as('own'),
      sql<number>`coalesce(sum(octet_length("content")), 0)`.as('bytes'),
    ])
    .where('messageId', '=', message.id)
    .executeTakeFirstOrThrow()
  if (used.all >= MAX_SUBMESSAGES || used.bytes + Buffer.byteLength(content) > MAX_BYTES) throw tooManySubmessages()
  if (!accounts.includes(message.senderId) && used.own >= MAX_BY_ONE_PERSON)
    throw tooManyOwnSubmessages({ limit: MAX_BY_ONE_PERSON })
}

export const postSubmessage = endpoint({
  route: 'POST /submessage',
  summary: 'Attach a submessage to a message, for example a vote in a poll',
  who: 'user',
  params: {
    message_id: z.int(),
    msg_type: z.enum(['widget']),
    content: z
      .string()
      .max(MAX_SUBMESSAGE_LENGTH)
      .describe('JSON. For a poll or to-do list, one of the changes that clients make to it.'),
  },
  refuses: [invalidMessage, submessageNotJson, mayNotAttach, badWidgetData, tooManySubmessages, tooManyOwnSubmessages],
  async handle({ transaction, actor }, params) {
    const given = { messageId: params.message_id, msgType: params.msg_type, content: params.content }
    await transaction((tx) => addSubmessage(tx, actor, given))
    return {}
  },
})
