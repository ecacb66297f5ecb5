import { scheduleReminder } from '../../scheduling/schedule-reminder.ts'
import { scheduleError } from '../../scheduling/time-options.ts'
import { t } from '../../text/t.ts'
import { readReminder } from './read-reminder.ts'
import type { CommandOutcome } from './slash-commands.ts'

/** Words that ask for a repeated reminder. */
const REPEATED =
  /\bevery\s+(?:other\s+)?(?:hour|day|week|month|year|morning|evening|weekday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(?:daily|weekly|monthly)$/i

/**
 * Schedules a message from the user to themselves. `given` is the text after `/remind`. It begins or ends with a time
 * in the future.
 */
export async function remind(userId: number, given: string): Promise<CommandOutcome> {
  const now = Date.now() / 1000
  if (/^[@#]\S/.test(given))
    return { error: t('Reminders are for you alone. To post something later, use the menu next to “Send”.') }
  if (REPEATED.test(given))
    return { error: t('Reminders can’t repeat. Add one time, such as “/remind tomorrow at 9 call Ada”.') }
  const reminder = readReminder(given, now)
  if ('noTime' in reminder)
    return {
      error: reminder.noTime
        ? t('“{word}” is not a time. Add a time, such as “/remind tomorrow at 9 call Ada”.', {
            word: reminder.noTime.slice(0, 40),
          })
        : t('Add a time, such as “/remind tomorrow at 9 call Ada”.'),
    }
  if (reminder.text === '') return { error: t('Add a message, such as “/remind in 2 hours call Ada”.') }
  const error = scheduleError(reminder.at, now)
  if (error !== null) return { error }
  const { done } = await scheduleReminder(userId, t('Reminder: {text}', { text: reminder.text }), reminder.at)
  return { done }
}
