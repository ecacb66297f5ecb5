import { z } from 'zod'
import { refusal } from '#lib/errors/refusal.ts'

export const conflictingArguments = refusal(
  'REQUEST_CONFUSING_VAR',
  400,
  "Can't decide between '{one}' and '{other}' arguments",
  { extras: ({ one, other }: { one: string; other: string }) => ({ var_name1: one, var_name2: other }) },
)

/** The parameters for a topic. Older clients send it as `subject`. */
export const topicParams = {
  topic: z.string().optional().describe('The topic; ignored for direct messages.'),
  subject: z.string().optional().describe('Deprecated name of `topic`.'),
}

/** Returns the topic of the request, if any; refuses requests with both parameters. */
export function readTopicParam({
  topic,
  subject,
}: {
  topic?: string | undefined
  subject?: string | undefined
}): string | undefined {
  if (topic !== undefined && subject !== undefined) throw conflictingArguments({ one: 'topic', other: 'subject' })
  return topic ?? subject
}
