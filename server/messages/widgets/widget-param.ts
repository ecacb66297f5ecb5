import { z } from 'zod'
import { refusal } from '#lib/errors/refusal.ts'
import { MAX_SUBMESSAGE_LENGTH } from './submessage-limits.ts'

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
