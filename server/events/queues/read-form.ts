import { z } from 'zod'
import { narrowOperators, narrowTraits } from './narrow.ts'
import type { QueueForm } from './queue.ts'
import { readStoredJson } from './read-stored-json.ts'

/** What a row does not say was not known when it was written. */
const flag = z.boolean().default(false)

const term = z
  .tuple([z.enum(narrowOperators), z.string()])
  .refine(([operator, operand]) => operator !== 'is' || (narrowTraits as readonly string[]).includes(operand))

/** A row that says more than this is of a newer version, which promised more to its client than can be kept here. */
const storedForm: z.ZodType<QueueForm> = z.strictObject({
  eventTypes: z.array(z.string()).nullable(),
  narrow: z.array(term),
  allPublicChannels: flag,
  appliesMarkdown: flag,
  computesGravatar: flag,
  hasSlimPresence: flag,
  allowsEmptyTopic: flag,
  takesBulkDeletions: flag,
  takesUserSettings: flag,
  takesStreamTyping: flag,
  includesDeactivatedGroups: flag,
  takesArchivedChannels: flag,
  takesUnsetNotifications: flag,
  takesLinkifierTemplates: flag,
  omitsUnknownUsers: flag,
  extraEmojiType: z.enum(['service_extra_emoji', 'zulip_extra_emoji']),
})

/** Beyond so many forms the known ones are forgotten: clients may invent any number of narrows. */
const MAX_FORMS = 1000

const forms = new Map<string, QueueForm>()

/**
 * The form that this JSON writes, or null when it writes none: the same object for all queues of one kind of client, so
 * that they share what is made of it.
 */
export function readForm(json: string): QueueForm | null {
  const known = forms.get(json)
  if (known !== undefined) return known
  const { data: form } = storedForm.safeParse(readStoredJson(json))
  if (form === undefined) return null
  if (forms.size >= MAX_FORMS) forms.clear()
  forms.set(json, form)
  return form
}
