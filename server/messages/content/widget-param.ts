import { z } from 'zod'
import { refusal } from '../../platform/errors/refusal.ts'
import { MAX_SUBMESSAGE_LENGTH } from '../submessage-limits.ts'

export const widgetTooLong = refusal('BAD_REQUEST', 400, 'widget_content is too long (limit: {most} characters)')

const choiceJson = z.looseObject({
  short_name: z.string(),
  long_name: z.string(),
  reply: z.string().describe('What is sent when it is chosen.'),
})

/** A form that bots offer beside their text, for clients that show such. Polls and lists of tasks are texts. */
export const widgetParam = z
  .looseObject({
    widget_type: z.literal('zform'),
    extra_data: z.looseObject({ type: z.literal('choices'), heading: z.string(), choices: z.array(choiceJson) }),
  })
  .nullish()
  .describe('A form whose choices are answers: clients that show none show the text.')

/** The content of the submessage that holds the form; null when there is none. Refuses one that is too long for that. */
export function readWidgetParam(given: z.output<typeof widgetParam>): string | null {
  if (given === null || given === undefined) return null
  const { widget_type, extra_data } = given
  const content = JSON.stringify({ widget_type, extra_data })
  if (content.length > MAX_SUBMESSAGE_LENGTH) throw widgetTooLong({ most: MAX_SUBMESSAGE_LENGTH })
  return content
}
