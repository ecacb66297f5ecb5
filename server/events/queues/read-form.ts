import { z } from 'zod'
import { narrowOperators, narrowTraits } from './narrow.ts'
import type { QueueForm } from './queue.ts'
import { readStoredJson } from './read-stored-json.ts'

/** A row without the field was written before the capability existed. */
const flag = z.boolean().default(false)

const term = z
  .tuple([z.enum(narrowOperators), z.string()])
  .refine(([operator, operand]) => operator !== 'is' || (narrowTraits as readonly string[]).includes(operand))

/**
 * A row with further fields was written by a later version, which supports capabilities that this version does not
 * know.
 */
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

/** The cache is cleared when it exceeds this number of forms, because clients can send any number of narrows. */
const MAX_FORMS = 1000

const forms = new Map<string, QueueForm>()

/**
 * Returns the form that the JSON contains, or null if it is not a form. All queues of one kind of client share the same
 * object, and with it the JSON that is written for it.
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
