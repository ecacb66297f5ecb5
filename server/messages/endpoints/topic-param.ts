import { z } from 'zod'
import { refusal } from '../../platform/errors/refusal.ts'

export const confusingArguments = refusal(
  'REQUEST_CONFUSING_VAR',
  400,
  "Can't decide between '{one}' and '{other}' arguments",
  ({ one, other }: { one: string; other: string }) => ({ var_name1: one, var_name2: other }),
)

/** A topic is named `topic` or, by older clients, `subject`. */
export const topicParams = {
  topic: z.string().optional().describe('The topic; ignored for direct messages.'),
  subject: z.string().optional().describe('The old name of `topic`.'),
}

/** The topic that the request names, if any; refused when it names two. */
export function readTopicParam({
  topic,
  subject,
}: {
  topic?: string | undefined
  subject?: string | undefined
}): string | undefined {
  if (topic !== undefined && subject !== undefined) throw confusingArguments({ one: 'topic', other: 'subject' })
  return topic ?? subject
}
